/** The vectors of a model's tokens. */
export interface Rows {
  readonly dimensions: number;
  /** The rows, one after the other. */
  readonly values: Int8Array;
  /** What a token's row is multiplied with, at most 1; 1 for all if not set. */
  readonly scales?: Float32Array | undefined;
  /** The row of each token; the token itself if not set. */
  readonly rowOf?: Uint32Array | undefined;
}

export const VECTOR_LENGTH = 127;

/** Weights are multiplied with this and rounded, so that sums are exact, and equal in any order. */
const WEIGHT_UNIT = 2 ** 20;

export function embed(
  { dimensions, values, scales, rowOf }: Rows,
  weights: Iterable<readonly [token: number, weight: number]>,
): Int8Array {
  const sums = new Float64Array(dimensions);
  for (const [token, weight] of weights) {
    const factor = Math.round(weight * (scales?.[token] ?? 1) * WEIGHT_UNIT);
    const start = (rowOf?.[token] ?? token) * dimensions;
    for (let i = 0; i < dimensions; i += 1) sums[i]! += factor * values[start + i]!;
  }
  return withLength(sums);
}

/** Rounds a vector to length {@link VECTOR_LENGTH}. */
function withLength(sums: Float64Array): Int8Array {
  let squares = 0;
  for (const sum of sums) squares += sum * sum;
  if (squares === 0) return new Int8Array(sums.length);
  const length = Math.sqrt(squares);
  return Int8Array.from(sums, (sum) => Math.round((sum * VECTOR_LENGTH) / length));
}
