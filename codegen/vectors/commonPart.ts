import { DIMENSIONS } from './source.ts';

/** Directions that nearly all words share, beside the mean. More of them did not make retrieval any better. */
const COMMON_DIRECTIONS = 2;
const POWER_STEPS = 300;

/**
 * Takes out of each vector what nearly all words have in common: the mean and the strongest directions (Mu and
 * Viswanath, "All-but-the-top", 2018). It tells more of a word's frequency than of its meaning.
 */
export function removeCommonPart(vectors: readonly Float64Array[]): void {
  const mean = new Float64Array(DIMENSIONS);
  for (const vector of vectors) vector.forEach((value, i) => (mean[i]! += value / vectors.length));
  for (const vector of vectors) mean.forEach((value, i) => (vector[i]! -= value));
  for (let count = 0; count < COMMON_DIRECTIONS; count += 1) {
    const direction = strongestDirection(vectors);
    for (const vector of vectors) {
      const share = dot(vector, direction);
      direction.forEach((value, i) => (vector[i]! -= share * value));
    }
  }
}

/** Returns the unit vector along which the vectors differ most, by power iteration over their covariance. */
function strongestDirection(vectors: readonly Float64Array[]): Float64Array {
  const covariance = Array.from({ length: DIMENSIONS }, () => new Float64Array(DIMENSIONS));
  for (const vector of vectors)
    for (let row = 0; row < DIMENSIONS; row += 1)
      for (let column = 0; column < DIMENSIONS; column += 1)
        covariance[row]![column]! += vector[row]! * vector[column]!;
  let direction = new Float64Array(DIMENSIONS).fill(1);
  for (let step = 0; step < POWER_STEPS; step += 1) {
    const next = Float64Array.from(covariance, (row) => dot(row, direction));
    const length = Math.sqrt(dot(next, next));
    direction = next.map((value) => value / length);
  }
  return direction;
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i += 1) sum += a[i]! * b[i]!;
  return sum;
}
