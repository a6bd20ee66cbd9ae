/** Returns the cosine of the angle between two vectors, from -1 to 1; 0 if one of them is zero. */
export function similarity(a: Int8Array, b: Int8Array): number {
  const squares = dot(a, a) * dot(b, b);
  return squares === 0 ? 0 : Math.max(-1, Math.min(1, dot(a, b) / Math.sqrt(squares)));
}

/** Returns the exact product of two vectors of the same length. */
export function dot(a: Int8Array, b: Int8Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i += 1) sum += a[i]! * b[i]!;
  return sum;
}
