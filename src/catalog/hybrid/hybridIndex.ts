import type { Content } from './content.ts';
import { embedFields } from './embedding.ts';
import type { Model } from '../meaning/index.ts';
import { createNumbers } from './numbers.ts';
import { createSegments, type Segments } from './segments.ts';
import type { Vectors } from './vectors.ts';
import { createVocabulary, type Vocabulary } from './vocabulary.ts';

/** The end of a slot that still says what its listing says. */
const CURRENT = 0xffffffff;
/** What `quality` is divided by. */
export const QUALITY_STEPS = 255;

/** The hybrid ranking's index, in memory. Each wording of a listing has a slot of its own. */
export interface HybridIndex {
  readonly model: Model;
  readonly vocabulary: Vocabulary;
  readonly segments: Segments;
  readonly vectors: Vectors;
  /** Returns the number of listings, and of the words in all of them together. */
  totals(): { listings: number; words: number };
  /** Enters a listing's content, which it has had since the clock was `since`. */
  add(listing: number, content: Content, since: number): void;
  /** Marks that a listing no longer says what it said before the clock was `until`. */
  retire(listing: number, until: number): void;
  listingOf(slot: number): number;
  /** From 0 to {@link QUALITY_STEPS}, by slot. */
  readonly quality: Uint8Array;
  /** True if its listing said this when the clock was `clock`. */
  wasSaidAt(slot: number, clock: number): boolean;
}

export function createHybridIndex(model: Model, vectors: Vectors): HybridIndex {
  const segments = createSegments();
  const vocabulary = createVocabulary();
  const listings = createNumbers(Uint32Array);
  const since = createNumbers(Uint32Array);
  const until = createNumbers(Uint32Array);
  const quality = createNumbers(Uint8Array);
  /** The slot of each listing's current content, plus 1. */
  const slots = createNumbers(Uint32Array);
  const totals = { listings: 0, words: 0 };

  return {
    model,
    vocabulary,
    segments,
    vectors,
    totals: () => ({ ...totals }),
    add(listing, content, clock) {
      const terms = new Map([...content.terms].map(([term, times]) => [vocabulary.idFor(term), times]));
      for (const term of terms.keys()) vocabulary.add(term, 1);
      const slot = segments.add(terms, content.length);
      vectors.add(embedFields(model, content.texts));
      listings.set(slot, listing);
      since.set(slot, clock);
      until.set(slot, CURRENT);
      quality.set(slot, Math.round(content.quality * QUALITY_STEPS));
      slots.set(listing, slot + 1);
      totals.listings += 1;
      totals.words += segments.lengthOf(slot);
    },
    retire(listing, clock) {
      const slot = (slots.data[listing] ?? 0) - 1;
      if (slot === -1) return;
      for (const term of segments.termsOf(slot)) vocabulary.add(term, -1);
      until.set(slot, clock);
      slots.set(listing, 0);
      totals.listings -= 1;
      totals.words -= segments.lengthOf(slot);
    },
    listingOf: (slot) => listings.data[slot]!,
    get quality() {
      return quality.data;
    },
    wasSaidAt: (slot, clock) => since.data[slot]! <= clock && until.data[slot]! > clock,
  };
}
