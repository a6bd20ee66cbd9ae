import type { SettlementRecord } from '../../../journal/index.ts';
import { outcomeIn } from '../../../scheme/index.ts';
import type { RpcAnswers } from '../../../stellar/rpc/answers.ts';
import { RpcFault } from '../../../stellar/rpc/fault.ts';
import { transferIn } from './transfer.ts';

export type Found = RpcAnswers['getTransaction'];

/** A fact that the journal and the ledger tell differently; undefined if one of them has nothing to tell. */
export interface Difference {
  readonly fact: 'status' | 'ledger' | 'closedAt' | 'feeStroops' | 'payer' | 'payTo' | 'amount' | 'asset';
  readonly here: string | number | undefined;
  readonly there: string | number | undefined;
}

export type Verdict =
  | { readonly kind: 'agrees' }
  | { readonly kind: 'differs'; readonly differences: readonly Difference[] }
  /** The history of no node reaches back to it. */
  | { readonly kind: 'tooOld' }
  | { readonly kind: 'unchecked'; readonly why: string };

/** A pending settlement whose ledger closed so lately may still be learned by the service. */
const LEARNED_WITHIN_SECONDS = 60;
/** A node that lags so little may still lack what is not in any ledger. */
const MAX_LAG_SECONDS = 60;

/** Compares a record with what each node says of its transaction. */
export function judge(record: SettlementRecord, answers: readonly (Found | RpcFault)[]): Verdict {
  const heard = answers.filter((answer): answer is Found => !(answer instanceof RpcFault));
  const holder = heard.find(({ status }) => status !== 'NOT_FOUND');
  if (holder !== undefined) return judgeFound(record, holder);
  if (heard.some((answer) => covers(answer, record))) return judgeMissing(record);
  // A node that did not answer, or lags, may have what the others lack.
  const fault = answers.find((answer) => answer instanceof RpcFault);
  if (fault !== undefined) return { kind: 'unchecked', why: fault.message };
  return heard.every((answer) => beginsAfter(answer, record))
    ? { kind: 'tooOld' }
    : { kind: 'unchecked', why: 'the RPC nodes lag behind the ledger that must hold it' };
}

/** The time to which a history must reach back, in unix seconds. */
const momentOf = ({ closedAt, sentAt }: SettlementRecord): number => (closedAt ?? sentAt).getTime() / 1000;

const beginsAfter = ({ oldestLedgerCloseTime }: Found, record: SettlementRecord): boolean =>
  Number(oldestLedgerCloseTime) > momentOf(record);

/** True if a ledger that holds the transaction would be in the node's history. */
function covers(answer: Found, record: SettlementRecord): boolean {
  if (beginsAfter(answer, record)) return false;
  const slack = record.closedAt === undefined ? MAX_LAG_SECONDS : 0;
  return Number(answer.latestLedgerCloseTime) + slack >= momentOf(record);
}

/** Says whether a record is right although no ledger holds its transaction. */
function judgeMissing({ status }: SettlementRecord): Verdict {
  if (status !== 'settled' && status !== 'failed') return { kind: 'agrees' };
  return { kind: 'differs', differences: [{ fact: 'status', here: status, there: 'not found' }] };
}

function judgeFound(record: SettlementRecord, answer: Found): Verdict {
  const transfer = answer.envelopeXdr === undefined ? undefined : transferIn(answer.envelopeXdr);
  const outcome = outcomeIn(answer);
  const { ledger, closedAtSeconds, feeChargedStroops } =
    outcome.state === 'applied' || outcome.state === 'failed' ? outcome : {};
  const status = outcome.state === 'applied' ? 'settled' : 'failed';
  const isUnderWay =
    record.status === 'pending' &&
    Number(answer.latestLedgerCloseTime) - (closedAtSeconds ?? -Infinity) <= LEARNED_WITHIN_SECONDS;
  const differences = [
    ...(isUnderWay ? [] : differing('status', record.status, status)),
    ...differing('ledger', record.ledger, ledger),
    ...differing('closedAt', isoOf(record.closedAt), isoOf(closedAtSeconds)),
    ...differing('feeStroops', record.feeStroops, feeChargedStroops),
    ...(transfer === undefined ? [] : facts.flatMap((fact) => differing(fact, record[fact], transfer[fact]))),
  ];
  if (differences.length > 0) return { kind: 'differs', differences };
  return transfer === undefined
    ? { kind: 'unchecked', why: 'its transaction cannot be read: the network may use a newer protocol' }
    : { kind: 'agrees' };
}

const facts = ['payer', 'payTo', 'amount', 'asset'] as const;

/** Records of older versions lack some facts, and nothing differs from those. */
function differing(
  fact: Difference['fact'],
  here: string | number | undefined,
  there: string | number | undefined,
): Difference[] {
  return here === undefined || here === there ? [] : [{ fact, here, there }];
}

function isoOf(time: Date | number | undefined): string | undefined {
  if (time === undefined) return undefined;
  return (time instanceof Date ? time : new Date(time * 1000)).toISOString();
}
