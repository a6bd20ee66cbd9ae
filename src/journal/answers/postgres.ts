import { setTimeout as sleep } from 'node:timers/promises';
import type { Database, Row } from '../../store/postgres.ts';
import { SCHEMA } from '../../store/postgresSchema.ts';
import type { AsyncGuard } from '../guard.ts';
import { JOURNAL_LIMITS, type JournalLimits } from '../limits.ts';
import type { SharedLimits } from '../postgres/limits.ts';
import { knownAnswerOf, selectSentUnder, type Answers, type CallerKey, type KnownAnswer } from './answer.ts';

const TABLE = `${SCHEMA}.keyed_answer`;

/** Also frees a key that is too old: otherwise it could not be taken until `EXPIRE` comes. */
const SELECT = `
  WITH expired AS (
    DELETE FROM ${TABLE} WHERE caller = $1 AND key_hash = $2 AND created_at <= now() - make_interval(hours => $3))
  SELECT * FROM ${TABLE} WHERE caller = $1 AND key_hash = $2 AND created_at > now() - make_interval(hours => $3)`;

const SELECT_SENT = selectSentUnder(`${SCHEMA}.entry`, (nth) => `$${nth}`);

/** What has settled outweighs a refusal: an earlier transaction failed, and a later one paid. */
const KEEP = `UPDATE ${TABLE} SET answer = $3, is_settled = $4
  WHERE caller = $1 AND key_hash = $2 AND (answer IS NULL OR ($4 AND NOT is_settled))`;

const EXPIRE = `DELETE FROM ${TABLE} WHERE created_at <= clock_timestamp() - make_interval(hours => $1)`;

/** Ranks answers within their callers, newest first, so that the oldest go of the caller that has most. */
const PRUNE = `DELETE FROM ${TABLE} WHERE id IN (
    SELECT id FROM (
      SELECT id, nth, row_number() OVER (ORDER BY nth, id DESC) AS place FROM (
        SELECT id, row_number() OVER (PARTITION BY caller ORDER BY id DESC) AS nth FROM ${TABLE}) AS of_caller
    ) AS ranked WHERE nth > $1 OR place > $2)`;

interface PostgresAnswersDeps {
  db: Pick<Database, 'query'>;
  limits: Pick<SharedLimits, 'openWithinMs' | 'retryAfterMs'>;
  guarded: AsyncGuard;
}

export function createPostgresAnswers({ db, limits, guarded }: PostgresAnswersDeps): Answers {
  const { answerHoursKept } = JOURNAL_LIMITS;
  const rowOf = async ({ caller, keyHash }: CallerKey): Promise<Row | undefined> =>
    (await db.query(SELECT, [caller, keyHash, answerHoursKept]))[0];

  return {
    find: (key) =>
      guarded<KnownAnswer | undefined | 'unavailable'>('a key was not looked up', 'unavailable', async () => {
        const row = await rowOf(key);
        if (row === undefined) return undefined;
        const [sent] = await db.query(SELECT_SENT, [row['authorization'], key.caller, key.keyHash]);
        return knownAnswerOf(row, sent);
      }),
    keep: (key, answer, isSettled) =>
      guarded<string | undefined>('an answer was not kept', undefined, () =>
        inTime(limits, async () => {
          await db.query(KEEP, [key.caller, key.keyHash, answer, isSettled]);
          return ((await rowOf(key))?.['answer'] as string | null | undefined) ?? answer;
        }),
      ),
  };
}

/** Does work again and again until it succeeds, or until there is no time left. Doing it twice must change nothing. */
async function inTime<Result>(
  { openWithinMs, retryAfterMs }: Pick<SharedLimits, 'openWithinMs' | 'retryAfterMs'>,
  work: () => Promise<Result>,
): Promise<Result> {
  const deadline = performance.now() + openWithinMs;
  for (;;) {
    try {
      return await work();
    } catch (fault) {
      if (performance.now() + retryAfterMs >= deadline) throw fault;
      await sleep(retryAfterMs);
    }
  }
}

/** Deletes the answers that are too old, and those beyond the limits. */
export async function pruneAnswers(
  db: Pick<Database, 'query'>,
  { answerHoursKept, answersKept }: Pick<JournalLimits, 'answerHoursKept' | 'answersKept'>,
): Promise<void> {
  await db.query(EXPIRE, [answerHoursKept]);
  await db.query(PRUNE, [answersKept.perCaller, answersKept.inAll]);
}
