import type { DatabaseSync } from "node:sqlite";
import { SATURATION } from "../search/ranking.ts";
import type { LengthNorm } from "../search/ranking.ts";
import type { Snapshot } from "../search/cursor.ts";
import { blockOf } from "./blocks.ts";

/** A listing that was reworded since a walk began: the walk goes on by its earlier wording. */
export interface Reworded {
  readonly listing: number;
  /** What it scored then; 0 where it was no match, or not there yet. */
  score(norm: LengthNorm): number;
}

export interface EarlierWordings {
  in(block: number): readonly Reworded[];
}

interface Row {
  listing: number;
  worded: number;
  words: string;
  length: number;
}

const NONE: EarlierWordings = { in: () => [] };

/** Looks up the listings that were reworded since a snapshot; there is none for the first page. */
export function earlierWordingsIn(db: DatabaseSync) {
  const select = db.prepare(
    "SELECT listing, worded, words, length FROM earlier_wording WHERE reworded > ? ORDER BY reworded",
  );

  return (
    snapshot: Snapshot | undefined,
    terms: readonly { word: string; idf: number }[],
  ): EarlierWordings => {
    if (snapshot === undefined) return NONE;
    const byListing = new Map<number, Reworded>();
    for (const row of select.all(snapshot.clock) as unknown as Row[]) {
      // The first change after the snapshot took away what the listing said at the snapshot.
      if (!byListing.has(row.listing))
        byListing.set(row.listing, reworded(row, snapshot, terms));
    }
    const byBlock = Map.groupBy(byListing.values(), ({ listing }) =>
      blockOf(listing),
    );
    return { in: (block) => byBlock.get(block) ?? [] };
  };
}

function reworded(
  row: Row,
  snapshot: Snapshot,
  terms: readonly { word: string; idf: number }[],
): Reworded {
  const { listing, worded, length } = row;
  if (worded > snapshot.clock) return { listing, score: () => 0 };
  const words = new Map(JSON.parse(row.words) as [string, number][]);
  return {
    listing,
    score: ({ base, slope }) =>
      terms.reduce((sum, { word, idf }) => {
        const frequency = words.get(word) ?? 0;
        return (
          sum +
          idf * ((frequency * SATURATION) / (frequency + base + slope * length))
        );
      }, 0),
  };
}
