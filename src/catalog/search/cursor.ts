import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { Filters } from '../requests.ts';
import type { SortedPlace } from '../sqlite/sorted.ts';
import type { Collection } from './ranking.ts';

/**
 * The state of the catalog at the first page of a walk along cursors. Later pages rank by these numbers, so that new or
 * refreshed listings move nothing.
 */
export interface Snapshot extends Collection {
  /** Number of rewordings of listings so far. */
  readonly clock: number;
  /** Number of listings that contain each word of the query. */
  readonly matches: readonly number[];
}

/** A position in the results of a query. */
export interface Position {
  readonly snapshot: Snapshot;
  /** Score of the last listing that was shown. */
  readonly score: number;
  readonly listing: number;
}

/** The query and filters that a cursor is bound to, and the key that signs it. */
export interface CursorContext {
  readonly query: string;
  readonly filters: Filters;
  readonly key: Uint8Array;
  /** Names the order; undefined for that of the lexical ranking. */
  readonly ranking?: string | undefined;
}

const VERSION = 1;
const TAG_BYTES = 16;
const FIXED_NUMBERS = 5;

/**
 * Writes a cursor: 64-bit numbers, which are the snapshot's listings, tokens and clock, the score and listing of the
 * last result, and the matches of each word.
 */
export function writeCursor({ snapshot, score, listing }: Position, context: CursorContext): string {
  const { listings, tokens, clock, matches } = snapshot;
  const numbers = Float64Array.of(listings, tokens, clock, score, listing, ...matches);
  return sealCursor(Buffer.from(numbers.buffer), context);
}

/** Returns undefined if the text is not a cursor of this query and these filters. */
export function readCursor(text: string, context: CursorContext): Position | undefined {
  const content = unsealCursor(text, context);
  if (content === undefined || content.length < FIXED_NUMBERS * 8 || content.length % 8 !== 0)
    return undefined;
  const [listings, tokens, clock, score, listing, ...matches] = new Float64Array(
    new Uint8Array(content).buffer,
  ) as unknown as [number, number, number, number, number, ...number[]];
  return { snapshot: { listings, tokens, clock, matches }, score, listing };
}

/** Writes the cursor of a sorted list: two doubles. */
export function writePlace({ paidAtMs, listing }: SortedPlace, context: CursorContext): string {
  return sealCursor(Buffer.from(Float64Array.of(paidAtMs, listing).buffer), context);
}

/** Returns undefined if the text is not a cursor of this order and these filters. */
export function readPlace(text: string, context: CursorContext): SortedPlace | undefined {
  const content = unsealCursor(text, context);
  if (content === undefined) return undefined;
  const [paidAtMs, listing] = new Float64Array(new Uint8Array(content).buffer) as unknown as [number, number];
  return { paidAtMs, listing };
}

/**
 * Returns a tag and the content, in base64url. The tag covers the content, the format's version, the query and the
 * filters. So a cursor that was changed, cut, made elsewhere or issued for something else does not have the right tag.
 */
export function sealCursor(content: Buffer, context: CursorContext): string {
  return Buffer.concat([tagOf(content, context), content]).toString('base64url');
}

/** Returns the content of a cursor; undefined if it does not have the right tag. */
export function unsealCursor(text: string, context: CursorContext): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64url');
  // Decoding skips characters outside the alphabet. Accept only the text that was issued.
  if (bytes.toString('base64url') !== text || bytes.length < TAG_BYTES) return undefined;
  const content = bytes.subarray(TAG_BYTES);
  return timingSafeEqual(bytes.subarray(0, TAG_BYTES), tagOf(content, context)) ? content : undefined;
}

function tagOf(content: Buffer, { query, filters, key, ranking }: CursorContext): Buffer {
  const { type, payTo, scheme, network, extensions, ...others } = filters;
  const bound: (string | number | boolean | undefined)[] = [
    VERSION,
    query,
    type,
    payTo,
    scheme,
    network,
    extensions,
    ...boundOthers(others),
  ];
  if (ranking !== undefined) bound.push('ranking', ranking);
  const context = createHash('sha256')
    .update(JSON.stringify(bound.map((value) => value ?? null)))
    .digest();
  return createHmac('sha256', key).update(context).update(content).digest().subarray(0, TAG_BYTES);
}

/** Nothing if none is given: cursors of earlier versions were bound to the first five filters alone. */
function boundOthers(filters: Filters): (string | boolean | undefined)[] {
  const { resource, asset, maxAmount, updatedSince, verified } = filters;
  const others = [resource, asset, maxAmount, updatedSince];
  if (verified !== undefined) return [...others, verified];
  return others.every((value) => value === undefined) ? [] : others;
}
