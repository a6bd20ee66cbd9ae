import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { Filters } from '../requests.ts';
import type { Collection } from './ranking.ts';

/**
 * The catalog at the first page of a walk. The later pages rank by these numbers, so that what is listed or refreshed
 * meanwhile moves nothing.
 */
export interface Snapshot extends Collection {
  /** How many times a listing had been reworded. */
  readonly clock: number;
  /** In how many listings each word of the query stood. */
  readonly matches: readonly number[];
}

/** Where a walk along the results of a query stands. */
export interface Position {
  readonly snapshot: Snapshot;
  /** Of the last listing that was shown. */
  readonly score: number;
  readonly listing: number;
}

/** What a cursor is bound to. */
export interface CursorContext {
  readonly query: string;
  readonly filters: Filters;
  readonly key: Uint8Array;
}

const VERSION = 1;
const TAG_BYTES = 16;
const FIXED_NUMBERS = 5;

/**
 * A cursor is a tag and then 64-bit numbers, in base64url: listings, tokens and clock of the snapshot, score and
 * listing of the last result, and the matches of each word. The tag covers them, the format's version, the query and
 * the filters: a cursor that was changed, cut, made elsewhere or issued for something else does not have it.
 */
export function writeCursor({ snapshot, score, listing }: Position, context: CursorContext): string {
  const { listings, tokens, clock, matches } = snapshot;
  const numbers = Float64Array.of(listings, tokens, clock, score, listing, ...matches);
  const content = Buffer.from(numbers.buffer);
  return Buffer.concat([tagOf(content, context), content]).toString('base64url');
}

/** Null for a text that is no cursor of this query and these filters. */
export function readCursor(text: string, context: CursorContext): Position | null {
  const bytes = Buffer.from(text, 'base64url');
  // Decoding skips what is not of the alphabet: only the text that was issued may pass.
  if (bytes.toString('base64url') !== text) return null;
  const content = bytes.subarray(TAG_BYTES);
  if (content.length < FIXED_NUMBERS * 8 || content.length % 8 !== 0) return null;
  if (!timingSafeEqual(bytes.subarray(0, TAG_BYTES), tagOf(content, context))) return null;
  const [listings, tokens, clock, score, listing, ...matches] = new Float64Array(
    new Uint8Array(content).buffer,
  ) as unknown as [number, number, number, number, number, ...number[]];
  return { snapshot: { listings, tokens, clock, matches }, score, listing };
}

function tagOf(content: Buffer, { query, filters, key }: CursorContext): Buffer {
  const { type, payTo, scheme, network, extensions } = filters;
  const bound = [VERSION, query, type, payTo, scheme, network, extensions].map((value) => value ?? null);
  const context = createHash('sha256').update(JSON.stringify(bound)).digest();
  return createHmac('sha256', key).update(context).update(content).digest().subarray(0, TAG_BYTES);
}
