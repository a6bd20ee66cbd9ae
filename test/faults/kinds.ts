import { xdr } from '@stellar/stellar-sdk';
import type { Fault } from '../../sandbox/faults.ts';
import type { SettleLimits } from '../../src/scheme/limits.ts';
import type { RpcLimits } from '../../src/stellar/limits.ts';

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
  'answers too late': { kind: 'delay', ms: 10_000 },
  'answers half a JSON': { kind: 'wrongJson' },
  'answers another request': { kind: 'wrongId' },
  'loses the answer': { kind: 'lostAnswer' },
  'answers as of a stale ledger': { kind: 'staleLedger', ledgers: 500 },
};

/** … so that it cannot be believed. */
export const FAULTS: Record<string, Fault> = { ...WITHOUT_EFFECT, ...WITH_EFFECT };

/** A node that hangs costs this each time; from one that does not, an answer is awaited however slow the machine is. */
export function patienceWith(what: string): Partial<RpcLimits> {
  const answerTimeoutMs = what === 'hangs' || what === 'answers too late' ? 1_500 : 5_000;
  return { answerTimeoutMs, answerTimeoutAmongSeveralMs: answerTimeoutMs };
}

/** Payments that must settle, however slow the machine and its nodes are, do not expire meanwhile. */
export const UNHURRIED: Partial<SettleLimits> = {
  answerWithinMs: 25_000,
  minInclusionSeconds: 15,
  maxInclusionSeconds: 15,
};

export type Result = Record<string, any>;

/** The call takes effect, and its answer is made another one. */
export const says = (method: string, change: (result: Result) => Result, times?: number): Fault => ({
  kind: 'rewrite',
  methods: [method],
  rewrite: (_method, result) => ({ ...result, ...change(result) }),
  ...(times !== undefined && { times }),
});

type RefusalCode =
  | 'txBadSeq'
  | 'txTooLate'
  | 'txInsufficientFee'
  | 'txInsufficientBalance'
  | 'txInternalError';

/** An answer to sendTransaction that says no, as the network writes it. */
export function refusalOf(code: RefusalCode): Result {
  const [result, ext] = [xdr.TransactionResultResult[code](), xdr.TransactionResultExt.v0()];
  const errorResult = new xdr.TransactionResult({ feeCharged: 100n, result, ext });
  return { status: 'ERROR', errorResultXdr: errorResult.toXdr('base64') };
}

/** Answers that a sound node never gives, and that nobody may be harmed by. */
export const LIES: Fault[] = [
  says('sendTransaction', () => refusalOf('txBadSeq')),
  says('sendTransaction', () => refusalOf('txTooLate')),
  says('sendTransaction', () => ({ hash: 'ab'.repeat(32), ...refusalOf('txTooLate') })),
  says('sendTransaction', () => ({ status: 'TRY_AGAIN_LATER' })),
  ...['SUCCESS', 'FAILED'].map((status) =>
    says('getTransaction', () => ({ status, txHash: 'ab'.repeat(32), ledger: 1_000 })),
  ),
  ...['simulateTransaction', 'sendTransaction', 'getTransaction', 'getFeeStats'].map((method) =>
    says(method, ({ latestLedger }) => ({ latestLedger: latestLedger + 5_000 })),
  ),
  says('getTransaction', ({ latestLedgerCloseTime }) => ({
    latestLedgerCloseTime: String(Number(latestLedgerCloseTime) + 600),
  })),
];
