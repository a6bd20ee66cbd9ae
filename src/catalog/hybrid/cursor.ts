import { sealCursor, unsealCursor, type CursorContext } from '../search/cursor.ts';
import type { Hit } from '../search/best.ts';

/**
 * Holds what the first page of a walk along cursors found out. Later pages rank by it, so that new or refreshed listings
 * move nothing.
 */
export interface Snapshot {
  /** The highest id of a listing. */
  readonly listings: number;
  /** Number of rewordings of listings so far. */
  readonly clock: number;
  /** Words of a listing, on average. */
  readonly meanLength: number;
  /** Terms of the question, with their weights. */
  readonly terms: readonly { readonly term: string; readonly weight: number }[];
  readonly vector: Int8Array;
  /** True if the question has more words than count. */
  readonly isCut: boolean;
  /** The best score by words, and the highest similarity. */
  readonly mostWords: number;
  readonly nearest: number;
  /** The listings that are shown first, in order. All others follow by their scores. */
  readonly head: readonly number[];
  /** The lowest score among them. */
  readonly headScore: number;
}

/** A position in the results of a question. */
export interface Position extends Hit {
  readonly snapshot: Snapshot;
}

/** Writes a cursor that is bound to the query and the filters. */
export function writeCursor({ listing, score, snapshot }: Position, context: CursorContext): string {
  const { vector, ...rest } = snapshot;
  const content = { listing, score, vector: Buffer.from(vector).toString('base64'), ...rest };
  return sealCursor(Buffer.from(JSON.stringify(content)), context);
}

/** Returns undefined if the text is not a cursor of this query and these filters. */
export function readCursor(text: string, context: CursorContext): Position | undefined {
  const bytes = unsealCursor(text, context);
  if (bytes === undefined) return undefined;
  const { listing, score, vector, ...rest } = JSON.parse(bytes.toString()) as Position & {
    vector: string;
  } & Snapshot;
  return {
    listing,
    score,
    snapshot: { ...rest, vector: new Int8Array(Buffer.from(vector, 'base64')) },
  };
}
