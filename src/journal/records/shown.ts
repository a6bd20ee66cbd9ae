import type { ShownSettlement } from '../../contract/index.ts';
import type { SettlementRecord } from './record.ts';

/** The names of a record's facts, in the order in which JSON and CSV have them. */
export const SHOWN_NAMES = [
  'hash',
  'status',
  'payer',
  'payTo',
  'amount',
  'asset',
  'resource',
  'caller',
  'requestId',
  'code',
  'message',
  'result',
  'submitter',
  'bidStroops',
  'feeStroops',
  'ledger',
  'askedAt',
  'verifiedAt',
  'sentAt',
  'closedAt',
  'endedAt',
  'listing',
  'listedAt',
  'paymentIdentifier',
] as const satisfies (keyof SettlementRecord)[];

/** Returns a record as JSON has it: its times are ISO texts, and facts that it lacks are absent. */
export function shownRecord(record: SettlementRecord): ShownSettlement {
  const facts = SHOWN_NAMES.flatMap((name) => {
    const value = record[name];
    return value === undefined ? [] : [[name, value instanceof Date ? value.toISOString() : value]];
  });
  return Object.fromEntries(facts) as ShownSettlement;
}
