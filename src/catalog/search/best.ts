/** A listing and its score. */
export interface Hit {
  readonly listing: number;
  readonly score: number;
}

/** Keeps the best hits so far. If scores are equal, the older listing comes first. */
export interface Best {
  /** A hit must score more than this to get in: hits are offered in the order of their listings. */
  readonly threshold: number;
  offer(listing: number, score: number): void;
  /** Returns the hits, best first. */
  hits(): Hit[];
}

/** Keeps `size` hits in order, which is quick because `size` is small. Takes only hits that rank behind `after`. */
export function createBest(size: number, after: Hit | undefined): Best {
  const hits: Hit[] = [];
  let threshold = -Infinity;
  const isBehind = (listing: number, score: number): boolean =>
    after === undefined || score < after.score || (score === after.score && listing > after.listing);
  return {
    get threshold() {
      return threshold;
    },
    offer(listing, score) {
      if (score <= threshold || !isBehind(listing, score)) return;
      let at = hits.length;
      while (at > 0 && hits[at - 1]!.score < score) at -= 1;
      hits.splice(at, 0, { listing, score });
      if (hits.length > size) hits.pop();
      if (hits.length === size) threshold = hits[size - 1]!.score;
    },
    hits: () => hits,
  };
}
