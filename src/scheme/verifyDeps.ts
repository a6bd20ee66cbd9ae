import { StrKey } from '@stellar/stellar-sdk';
import {
  recentPaceSeconds,
  sightLedgers,
  type LedgerClock,
  type LedgerSighting,
} from '../stellar/ledgerClock.ts';
import { KNOWN_ASSETS } from '../stellar/assets.ts';
import type { Network } from '../stellar/networks.ts';
import type { Rpc } from '../stellar/rpc/pool.ts';
import type { FeePolicy } from './verify/checks/fee.ts';
import { createCodeCost } from './verify/contractCode.ts';
import { createLeeway } from './verify/leeway.ts';
import type { VerifyDeps } from './verify/verify.ts';

/** Everything that the checks need, for both purposes: to verify, and to settle. */
export type SharedVerifyDeps = Omit<VerifyDeps, 'purpose'>;

export function createVerifyDeps(deps: {
  network: Network;
  rpc: Rpc;
  clock: LedgerClock;
  feePolicy: FeePolicy;
  /** Submitters and the fee-bump account. */
  facilitatorAddresses: readonly string[];
}): SharedVerifyDeps {
  const { network, rpc, clock, feePolicy, facilitatorAddresses } = deps;
  return {
    rpc,
    clock,
    feePolicy,
    leeway: createLeeway(
      KNOWN_ASSETS[network].map(({ contract }) => contract),
      createCodeCost(rpc),
    ),
    facilitatorAddresses: new Set(facilitatorAddresses),
    facilitatorKeys: facilitatorAddresses.map((address) => StrKey.decodeEd25519PublicKey(address)),
    sightLedgers: shared(() => sightLedgers(rpc)),
    recentPaceSeconds: shared((sighting: LedgerSighting) => recentPaceSeconds(rpc, sighting)),
  };
}

/** Makes callers that ask at the same time share one answer. */
function shared<Question extends unknown[], Answer>(
  ask: (...question: Question) => Promise<Answer>,
): (...question: Question) => Promise<Answer> {
  let asking: Promise<Answer> | undefined;
  return (...question) => (asking ??= ask(...question).finally(() => (asking = undefined)));
}
