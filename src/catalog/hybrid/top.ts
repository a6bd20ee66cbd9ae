import type { Hit } from '../search/best.ts';

/** Keeps the best hits so far, in order. If scores are equal, the older listing comes first. */
export interface Top {
  /** A hit that scores less does not get in. */
  readonly threshold: number;
  offer(hit: Hit): void;
  /** Returns the hits, best first. */
  hits(): Hit[];
}

export const isBefore = (one: Hit, other: Hit): boolean =>
  one.score > other.score || (one.score === other.score && one.listing < other.listing);

export function createTop(size: number): Top {
  const hits: Hit[] = [];
  return {
    get threshold() {
      return hits.length < size ? -Infinity : (hits.at(-1)?.score ?? Infinity);
    },
    offer(hit) {
      let at = hits.length;
      while (at > 0 && isBefore(hit, hits[at - 1]!)) at -= 1;
      if (at >= size) return;
      hits.splice(at, 0, hit);
      if (hits.length > size) hits.pop();
    },
    hits: () => hits,
  };
}
