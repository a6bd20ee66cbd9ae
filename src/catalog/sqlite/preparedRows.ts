import { deserialize, serialize } from 'node:v8';
import type { Traits } from '../traits.ts';
import type { NewValues } from './listingWriter.ts';

/** A row to insert, with what it is filtered by unless the listing was removed. */
export interface PreparedRow {
  readonly values: NewValues;
  readonly traits?: Traits;
}

/** Rows as bytes, in pieces: what lives long costs most when garbage is collected, so few are objects at a time. */
export interface PreparedRows {
  readonly bytes: Uint8Array;
  /** Where each piece ends. */
  readonly ends: readonly number[];
}

const ROWS_PER_PIECE = 128;

/** Gathers rows. */
export function createRowsBuilder() {
  const pieces: Uint8Array[] = [];
  let rows: PreparedRow[] = [];

  function end(): void {
    if (rows.length > 0) pieces.push(serialize(rows));
    rows = [];
  }

  return {
    add(row: PreparedRow): void {
      if (rows.push(row) === ROWS_PER_PIECE) end();
    },
    built(): PreparedRows {
      end();
      const bytes = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
      const ends: number[] = [];
      for (const piece of pieces) {
        const start = ends.at(-1) ?? 0;
        bytes.set(piece, start);
        ends.push(start + piece.length);
      }
      return { bytes, ends };
    },
  };
}

/** Yields the rows in order. */
export function* readRows({ bytes, ends }: PreparedRows): Generator<PreparedRow> {
  for (const [nth, end] of ends.entries())
    yield* deserialize(bytes.subarray(ends[nth - 1] ?? 0, end)) as PreparedRow[];
}
