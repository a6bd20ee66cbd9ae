/** A listing and its score. */
export interface Hit {
  readonly listing: number;
  readonly score: number;
}

/** Keeps the best hits so far. If scores are equal, the older listing comes first. */
export interface Best {
  /** A hit that scores less does not get in; one that scores the same, only if it is older than the last one. */
  readonly threshold: number;
  offer(hit: Hit): void;
  /** Returns the hits, best first. */
  hits(): Hit[];
}

export const isBefore = (one: Hit, other: Hit): boolean =>
  one.score > other.score || (one.score === other.score && one.listing < other.listing);

/** Keeps `size` hits in order, which is quick because `size` is small. Takes only hits that rank behind `after`. */
export function createBest(size: number, after?: Hit): Best {
  const hits: Hit[] = [];
  let threshold = -Infinity;
  return {
    get threshold() {
      return threshold;
    },
    offer(hit) {
      if (hit.score < threshold || (after !== undefined && !isBefore(after, hit))) return;
      let at = hits.length;
      while (at > 0 && isBefore(hit, hits[at - 1]!)) at -= 1;
      hits.splice(at, 0, hit);
      if (hits.length > size) hits.pop();
      if (hits.length === size) threshold = hits[size - 1]!.score;
    },
    hits: () => hits,
  };
}
