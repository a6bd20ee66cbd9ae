import { authorizationRungs } from './rungs/authorization.ts';
import { protocolRungs } from './rungs/protocol.ts';
import type { Rung } from './rungs/rung.ts';
import { simulationRungs } from './rungs/simulation.ts';
import { transactionRungs } from './rungs/transaction.ts';

/**
 * The ladder of verify (specification 4.1, 7.2), from its first rung to its last: of two defects in one payment, the
 * earlier rung's code is answered. `unexpected_verify_error` is no rung: it answers for a network that does not answer.
 */
export const ladder: readonly Rung[] = [
  ...protocolRungs,
  ...transactionRungs,
  ...simulationRungs,
  ...authorizationRungs,
];
