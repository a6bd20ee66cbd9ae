import { openDatabase } from '../../src/catalog/sqlite/database.ts';
import { createSqliteStore } from '../../src/catalog/sqlite/store.ts';
import type { Settlement } from '../../src/catalog/store.ts';
import { createRandom, wordAt, type Random } from '../search/words.ts';

const SEED = 1;
const LISTINGS_PER_SELLER = 20;
const SETTLED_FROM_MS = Date.UTC(2026, 0, 1);
/** Each listing has nearly half of these, so that a search can skip next to nothing. */
const VOCABULARY = 250;
const WORDS_PER_LISTING = 150;

/** Writes a catalog whose listings consist of the same few words. */
export function fillWithWords(path: string, listings: number): void {
  fill(path, listings, (nth) => ({ description: words(createRandom(SEED, nth), WORDS_PER_LISTING) }));
}

/** So many words of the listings, different ones each time. */
export function questionOf(nth: number, count: number): string {
  const random = createRandom(SEED, -1 - nth);
  const asked = new Set<string>();
  while (asked.size < count) asked.add(word(random));
  return [...asked].join(' ');
}

/** Writes a catalog of a few listings of so many bytes each. */
export function fillWithBytes(path: string, listings: number, bytes: number): void {
  fill(path, listings, () => ({ example: 'x'.repeat(bytes) }));
}

const word = (random: Random): string => wordAt(Math.floor(random() * VOCABULARY));
const words = (random: Random, count: number): string =>
  Array.from({ length: count }, () => word(random)).join(' ');

type Texts = (nth: number) => { description?: string; example?: string };

function fill(path: string, listings: number, textsOf: Texts): void {
  const db = openDatabase(path);
  db.exec('PRAGMA synchronous = OFF; PRAGMA cache_size = -600000');
  const store = createSqliteStore(db);
  store.put(Array.from({ length: listings }, (_, nth) => settlementOf(nth, textsOf(nth))));
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  store.close();
}

function settlementOf(nth: number, { description = '', example = '' }: ReturnType<Texts>): Settlement {
  const input = { type: 'http', method: 'GET', queryParams: { example } };
  return {
    declaration: {
      type: 'http',
      toolName: '',
      resource: `https://seller${nth}.example.com/`,
      metadata: { description, mimeType: 'text/plain' },
      bazaar: { info: { input }, schema: { type: 'object' } },
    },
    isStellarAsset: true,
    requirements: {
      scheme: 'exact',
      network: 'stellar:testnet',
      asset: 'CBIELTK6YBZJU5UP2WWQEUCYKLPU6AUNZ2BQ4WWFEIE3USCIHMXQDAMA',
      amount: '1',
      payTo: `G${String(Math.floor(nth / LISTINGS_PER_SELLER)).padStart(55, 'A')}`,
      maxTimeoutSeconds: 60,
      extra: { areFeesSponsored: true },
    },
    settledAt: new Date(SETTLED_FROM_MS + 1000 * nth),
  };
}
