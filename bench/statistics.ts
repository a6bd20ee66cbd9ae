export const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** The value in the middle, or between the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(middle)] ?? NaN) + (sorted[Math.ceil(middle)] ?? NaN)) / 2;
}

/** The nearest rank: with few values the highest of them. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)] ?? NaN;
}

/** This service's value as a share of the peer's, medians over the rounds. */
export const ratio = ({ ours, peer }: { ours: readonly number[]; peer: readonly number[] }): number =>
  median(ours) / median(peer);

export interface Interval {
  low: number;
  high: number;
}

/** Returns the interval that holds the median of all such values, with 95 % confidence and whatever their distribution. */
export function medianInterval(values: readonly number[]): Interval {
  const sorted = [...values].sort((a, b) => a - b);
  const { length } = sorted;
  // Each value lies below the median by chance, as a coin shows heads. In 95 % of cases the count is this near to half.
  const reach = 0.98 * Math.sqrt(length);
  const low = Math.max(0, Math.floor(length / 2 - reach) - 1);
  return { low: sorted[low] ?? NaN, high: sorted[length - 1 - low] ?? NaN };
}
