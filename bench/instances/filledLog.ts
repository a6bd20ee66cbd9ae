/** Makes a shared catalog with many listings. */
import { decide } from '../../src/catalog/decide.ts';
import { keyHash } from '../../src/catalog/sqlite/propose.ts';
import type { Settlement } from '../../src/catalog/store.ts';
import type { Database } from '../../src/store/postgres.ts';
import { migrate } from '../../src/store/postgresMigrations.ts';
import { SCHEMA } from '../../src/store/postgresSchema.ts';
import { say } from '../progress.ts';
import { listingAt } from '../search/listings.ts';

const SEED = 1;
const BATCH = 5_000;
const REPORT_EVERY = 100_000;
/** Has no divisor in common with a round number of listings. */
const STRIDE = 7_919;

const INSERT = `
  INSERT INTO ${SCHEMA}.listing SELECT id, position, decode(key, 'hex'), owner, item, NULL, NULL, 0
  FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::text[]) AS l (id, position, key, owner, item)`;

const END = `
  UPDATE ${SCHEMA}.catalog SET position = 2 * $1::bigint, listings = $1,
    checksum = (SELECT bit_xor(${SCHEMA}.listing_hash(l)) FROM ${SCHEMA}.listing AS l)`;

export async function fillLog(db: Database, listings: number): Promise<void> {
  await migrate(db);
  for (let from = 0; from < listings; from += BATCH) {
    if (from % REPORT_EVERY === 0) say(`instances: ${from} of ${listings} listings made`);
    const length = Math.min(BATCH, listings - from);
    const settlements = Array.from({ length }, (_, at) => listingAt(SEED, from + at, listings));
    await db.query(INSERT, [
      settlements.map((_, at) => from + at + 1),
      settlements.map((_, at) => positionOf(from + at, listings)),
      settlements.map(({ declaration }) => keyHash(declaration)),
      settlements.map(({ requirements }) => requirements.payTo),
      settlements.map(itemOf),
    ]);
  }
  await db.query(END, [listings]);
}

/** Every second listing was refreshed since, in another order than that in which they were made. */
function positionOf(number: number, listings: number): number {
  return number % 2 === 0 ? number + 1 : listings + 1 + ((number * STRIDE) % listings);
}

function itemOf(settlement: Settlement): string {
  const decided = decide(settlement, undefined);
  if (decided === 'owned by another') throw new Error('a new listing has no other owner');
  return JSON.stringify(decided.item);
}
