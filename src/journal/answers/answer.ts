import type { SettlementKey } from '../../scheme/index.ts';
import type { Row } from '../rows.ts';
import { COLUMNS } from '../records/select.ts';
import { recordOf, type SettlementRecord } from '../records/record.ts';

/** A caller, and what it names a settlement by. */
export interface CallerKey extends SettlementKey {
  /** `key:<id>`, or `anonymous`. */
  readonly caller: string;
}

/** What is known of the settlement under a key. */
export interface KnownAnswer {
  /** Of the body that it was first used with. */
  readonly bodyHash: string;
  /** JSON, as it was kept; undefined if no ledger has decided, or if nobody was answered since. */
  readonly answer: string | undefined;
  /** The transaction sent under this key that tells most; undefined if there is none. */
  readonly record: SettlementRecord | undefined;
}

/** The answers to settlements under keys. Nothing here throws. */
export interface Answers {
  /** Returns undefined if the key is free. */
  find(key: CallerKey): Promise<KnownAnswer | undefined | 'unavailable'>;
  /** Keeps an answer, unless there is one already. Returns the one that counts from now on; undefined if it was not kept. */
  keep(key: CallerKey, answer: string, isSettled: boolean): Promise<string | undefined>;
}

/** Returns the statement that finds the entry sent under a key that tells most. */
export const selectSentUnder = (table: string, value: (nth: number) => string): string => `
  SELECT ${COLUMNS} FROM ${table}
  WHERE "authorization" = ${value(1)} AND caller = ${value(2)} AND key_hash = ${value(3)}
  ORDER BY CASE WHEN status = 'success' THEN 0 WHEN status IS NULL THEN 1 WHEN status = 'failed' THEN 2 ELSE 3 END,
    opened_at DESC, id DESC LIMIT 1`;

/** Reads a key's row, and the row of the entry sent under it. */
export const knownAnswerOf = (row: Row, sent: Row | undefined): KnownAnswer => ({
  bodyHash: String(row['body_hash']),
  answer: (row['answer'] as string | null) ?? undefined,
  record: sent && recordOf(sent),
});
