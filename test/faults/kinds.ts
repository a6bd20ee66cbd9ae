import type { Fault } from '../../sandbox/faults.ts';

/** What a node can do to a call … */

/** … without its taking effect, */
export const WITHOUT_EFFECT: Record<string, Fault> = {
  hangs: { kind: 'hang' },
  'answers 429': { kind: 'httpStatus', status: 429 },
  'answers 502': { kind: 'httpStatus', status: 502 },
  'answers with a JSON-RPC error': { kind: 'rpcError', code: -32_603, message: 'internal error' },
};

/** … after it took effect, */
export const WITH_EFFECT: Record<string, Fault> = {
  'answers too late': { kind: 'delay', ms: 5_000 },
  'answers half a JSON': { kind: 'wrongJson' },
  'answers another request': { kind: 'wrongId' },
  'loses the answer': { kind: 'lostAnswer' },
  'answers as of a stale ledger': { kind: 'staleLedger', ledgers: 500 },
};

/** … so that it cannot be believed. */
export const FAULTS: Record<string, Fault> = { ...WITHOUT_EFFECT, ...WITH_EFFECT };
