/** Random choices that a seed repeats. */
export interface Random {
  /** From 0 to below 1. */
  next(): number;
  /** From 0 to below `limit`, in whole numbers. */
  below(limit: number): number;
  pick<T>(choices: readonly T[]): T;
  /** Mostly small: like the rank of a word in a text, among `limit`. */
  zipf(limit: number): number;
}

/** Mulberry32. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    next,
    below,
    pick: (choices) => choices[below(choices.length)]!,
    zipf: (limit) => Math.floor((limit + 1) ** next()) - 1,
  };
}
