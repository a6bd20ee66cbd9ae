import { StrKey, type Keypair } from '@stellar/stellar-sdk';
import type { EnvelopeCode, VerifyCode } from '../../../src/contract/index.ts';
import { MAX_TIMEOUT_SECONDS } from '../../support/payments.ts';
import type { Attempt } from '../../support/paymentsAttempt.ts';
import type { TestSandbox } from '../../support/sandbox.ts';

/**
 * Where a code can be reached: over HTTP with the network as it is, over HTTP with an RPC that misbehaves, or only on
 * the scheme itself, since the envelope's own rules answer such a request first.
 */
export type Reached = 'HTTP' | 'misbehaving RPC' | 'scheme itself';

/** One check of verify: its code, where it can be reached, and payments that it refuses. */
export interface Rung {
  code: VerifyCode;
  reached: Reached;
  /** What is answered over HTTP where only the scheme itself gives the code. */
  answeredFirst?: EnvelopeCode;
  /** The first can stand beside defects of other rungs without hiding them. */
  defects: readonly Defect[];
}

export interface Defect {
  name: string;
  spoil(attempt: Attempt, cast: Cast): void;
}

/** Who and what a defect may need. */
export interface Cast {
  submitter: string;
  feeBump: string;
  /** An account that takes no part in the payment. */
  stranger: Keypair;
  /** A contract address that holds no USDC yet: opening its balance costs more than the ceiling. */
  newContract: string;
  /** The last ledger that an authorization may name, tolerance included. */
  lastLedger: number;
}

export function castOf(stage: { sandbox: TestSandbox; submitter: Keypair; feeBump: Keypair }): Cast {
  const { sandbox, submitter, feeBump } = stage;
  return {
    submitter: submitter.publicKey(),
    feeBump: feeBump.publicKey(),
    stranger: sandbox.account(),
    newContract: StrKey.encodeContract(Buffer.alloc(32, 1)),
    lastLedger: sandbox.expirationIn(MAX_TIMEOUT_SECONDS) + 2,
  };
}
