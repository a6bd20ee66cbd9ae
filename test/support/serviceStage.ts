import type { Keypair } from '@stellar/stellar-sdk';
import { afterAll, afterEach, beforeAll, beforeEach, onTestFinished } from 'vitest';
import type { PaymentRequirements } from '../../src/contract/index.ts';
import { MAX_TIMEOUT_SECONDS, requirementsFor } from './payments.ts';
import { goodAttempt, send, type Attempt } from './paymentsAttempt.ts';
import { openSandbox, type TestSandbox } from './sandbox.ts';
import { openFacilitator, type Facilitator, type FacilitatorOptions } from './service.ts';

/** One network and one service for all tests of a file. */
export interface Stage {
  sandbox: TestSandbox;
  facilitator: Facilitator;
  submitter: Keypair;
  feeBump: Keypair;
  options: FacilitatorOptions;
  /** Another service on the same network, until the test ends; with a submitter of its own unless told. */
  open(options?: Partial<FacilitatorOptions>): Promise<Facilitator>;
  /** A new account's good payment of USDC to `payTo`, else to another new account. */
  payment(changes?: Partial<PaymentRequirements>): Attempt;
  /** The code that verify answers, or 'valid'. */
  verdict(attempt: Attempt): Promise<string | undefined>;
}

/** Opens the stage before the file's tests and closes it after them. Its fields may be read within tests only. */
export function useStage({ withFeeBump = true } = {}): Stage {
  const stage = {} as Stage;
  beforeAll(async () => {
    const sandbox = await openSandbox();
    const [submitter, feeBump] = [sandbox.submitter(), sandbox.submitter()];
    const options = { rpcUrl: sandbox.url, submitters: [submitter], ...(withFeeBump && { feeBump }) };
    const facilitator = await openFacilitator(options);
    Object.assign(stage, { sandbox, facilitator, submitter, feeBump, options });
  });
  beforeEach(() => stage.sandbox.calls.reset());
  afterEach(() => stage.sandbox.faults.clear());
  afterAll(async () => {
    await stage.facilitator.close();
    await stage.sandbox.close();
  });
  return Object.assign(stage, {
    async open(options: Partial<FacilitatorOptions> = {}) {
      const { sandbox } = stage;
      const submitters = [sandbox.submitter()];
      const facilitator = await openFacilitator({ rpcUrl: sandbox.url, submitters, ...options });
      onTestFinished(async () => {
        sandbox.faults.clear();
        await facilitator.close();
      });
      return facilitator;
    },
    payment({
      payTo = stage.sandbox.account(0n).publicKey(),
      ...changes
    }: Partial<PaymentRequirements> = {}) {
      const requirements = requirementsFor(payTo, changes);
      return goodAttempt({
        payer: stage.sandbox.account(),
        requirements,
        expiration: stage.sandbox.expirationIn(Math.min(MAX_TIMEOUT_SECONDS, requirements.maxTimeoutSeconds)),
        nonce: stage.sandbox.nonce(),
      });
    },
    async verdict(attempt: Attempt) {
      const { isValid, invalidReason } = await send(attempt, stage.sandbox, stage.facilitator.verify);
      return isValid ? 'valid' : invalidReason;
    },
  });
}
