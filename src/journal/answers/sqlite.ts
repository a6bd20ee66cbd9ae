import type { DatabaseSync } from 'node:sqlite';
import type { JournalEntry } from '../../scheme/index.ts';
import type { Guard } from '../guard.ts';
import type { JournalLimits } from '../limits.ts';
import { fact, type Row } from '../rows.ts';
import { knownAnswerOf, selectSentUnder, type Answers, type CallerKey, type KnownAnswer } from './answer.ts';

/** The answers in the file. Each function throws if the file cannot be read or written. */
export type AnswerTable = ReturnType<typeof createAnswerTable>;

const HOUR_MS = 3_600_000;

/** Takes a key for a body. Changes no row if the key stands for another body, or has its answer. */
const TAKE = `INSERT INTO keyed_answer (caller, key_hash, body_hash, authorization, created_at) VALUES (?, ?, ?, ?, ?)
  ON CONFLICT (caller, key_hash) DO UPDATE SET created_at = created_at
  WHERE body_hash = excluded.body_hash AND answer IS NULL`;

/** What has settled outweighs a refusal: an earlier transaction failed, and a later one paid. */
const KEEP = `UPDATE keyed_answer SET answer = ?3, is_settled = ?4
  WHERE caller = ?1 AND key_hash = ?2 AND (answer IS NULL OR ?4 > is_settled)`;

/** Ranks answers within their callers, newest first, so that the oldest go of the caller that has most. */
const PRUNE = `DELETE FROM keyed_answer WHERE id IN (
    SELECT id FROM (
      SELECT id, nth, row_number() OVER (ORDER BY nth, id DESC) AS place FROM (
        SELECT id, row_number() OVER (PARTITION BY caller ORDER BY id DESC) AS nth FROM keyed_answer))
    WHERE nth > ? OR place > ?)`;

export function createAnswerTable(db: DatabaseSync, limits: JournalLimits) {
  const take = db.prepare(TAKE);
  const keep = db.prepare(KEEP);
  const select = db.prepare(
    'SELECT * FROM keyed_answer WHERE caller = ? AND key_hash = ? AND created_at > ?',
  );
  const selectSent = db.prepare(selectSentUnder('entry', (nth) => `?${nth}`));
  const expire = db.prepare('DELETE FROM keyed_answer WHERE created_at <= ?');
  const prune = db.prepare(PRUNE);
  const expiredAt = (nowMs: number): number => nowMs - limits.answerHoursKept * HOUR_MS;
  const find = ({ caller, keyHash }: CallerKey, nowMs: number): Row | undefined =>
    select.get(caller, keyHash, expiredAt(nowMs));

  return {
    /** Takes the key of an entry that is to be opened, if it has one. Returns false if it may not be opened. */
    take({ key, budget, authorization }: JournalEntry, nowMs: number): boolean {
      if (key === undefined) return true;
      expire.run(expiredAt(nowMs));
      const row = [budget.caller, key.keyHash, key.bodyHash, fact(authorization), nowMs];
      return Number(take.run(...row).changes) > 0;
    },
    find(key: CallerKey, nowMs: number): KnownAnswer | undefined {
      const row = find(key, nowMs);
      if (row === undefined) return undefined;
      const sent = selectSent.get(String(row['authorization']), key.caller, key.keyHash);
      return knownAnswerOf(row, sent);
    },
    keep(key: CallerKey, answer: string, isSettled: boolean, nowMs: number): string {
      keep.run(key.caller, key.keyHash, answer, isSettled ? 1 : 0);
      return (find(key, nowMs)?.['answer'] as string | null | undefined) ?? answer;
    },
    prune(nowMs: number): void {
      expire.run(expiredAt(nowMs));
      prune.run(limits.answersKept.perCaller, limits.answersKept.inAll);
    },
  };
}

interface SqliteAnswersDeps {
  table: AnswerTable;
  guarded: Guard;
  /** Returns unix milliseconds. */
  now: () => number;
}

export function createSqliteAnswers({ table, guarded, now }: SqliteAnswersDeps): Answers {
  return {
    find: async (key) =>
      guarded<KnownAnswer | undefined | 'unavailable'>('a key was not looked up', 'unavailable', () =>
        table.find(key, now()),
      ),
    keep: async (key, answer, isSettled) =>
      guarded<string | undefined>('an answer was not kept', undefined, () =>
        table.keep(key, answer, isSettled, now()),
      ),
  };
}
