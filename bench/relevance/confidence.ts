import { createRandom } from '../search/words.ts';
import { percentile, sum, type Interval } from '../statistics.ts';

const SEED = 1;
const RESAMPLES = 10_000;

/** Returns the interval that holds the mean of all such values with 95 % confidence: the same for the same values. */
export function bootstrapInterval(values: readonly number[]): Interval {
  const random = createRandom(SEED, 0);
  const means = Array.from({ length: RESAMPLES }, () => {
    const drawn = values.map(() => values[Math.floor(random() * values.length)]!);
    return sum(drawn) / drawn.length;
  });
  return { low: percentile(means, 2.5), high: percentile(means, 97.5) };
}

export interface SignTest {
  /** Questions for which our ranking is better. */
  wins: number;
  /** Questions for which the peer's ranking is better. */
  losses: number;
  /** Probability of a difference at least as large, on either side, if neither ranking were better. */
  p: number;
}

/** Compares two rankings by their scores for the same questions, in the same order. Ties are left out. */
export function signTest(ours: readonly number[], peer: readonly number[]): SignTest {
  const wins = ours.filter((score, nth) => score > peer[nth]!).length;
  const losses = ours.filter((score, nth) => score < peer[nth]!).length;
  return { wins, losses, p: Math.min(1, 2 * atMostHeads(Math.min(wins, losses), wins + losses)) };
}

/** Returns the probability that a coin shows at most so many heads. Up to 1,000 tosses no number gets too small. */
function atMostHeads(heads: number, tosses: number): number {
  let exactly = 0.5 ** tosses;
  let atMost = exactly;
  for (let count = 1; count <= heads; count += 1) {
    exactly *= (tosses - count + 1) / count;
    atMost += exactly;
  }
  return atMost;
}
