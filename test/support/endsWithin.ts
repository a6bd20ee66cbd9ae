/** Waits for work that ends by itself. If it does not within the limit, rejects and says what hangs, which a test's own limit does not. */
export async function endsWithin<T>(limitMs: number, work: Promise<T>, what: () => string): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`has not ended after ${limitMs} ms: ${what()}`)), limitMs);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
