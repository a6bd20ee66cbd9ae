import type { Hit } from '../search/best.ts';

/** The largest share that trust adds to a score. Hits that are further apart keep their order. */
const LARGEST_LIFT = 0.03;

/**
 * Returns hits in the order in which they are shown, given best first. A hit that is about as good as the one before, and
 * has more trust (from 0 to 1), comes before it. None moves by more than one place, however much it is trusted.
 */
export function lifted(hits: readonly Hit[], trustOf: (listing: number) => number): Hit[] {
  const shown = [...hits];
  const worthOf = ({ listing, score }: Hit): number => score * (1 + LARGEST_LIFT * trustOf(listing));
  for (let at = 1; at < shown.length; at += 1) {
    const [before, hit] = [shown[at - 1]!, shown[at]!];
    if (worthOf(hit) <= worthOf(before)) continue;
    [shown[at - 1], shown[at]] = [hit, before];
    at += 1;
  }
  return shown;
}
