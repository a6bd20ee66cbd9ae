/**
 * Shares the main thread's work on requests among callers. A batch of requests is begun at a time, and callers take
 * turns. New arrivals are looked at between two batches. So a caller that sends many requests waits only behind its
 * own.
 */
export interface Work {
  /** Resolves when the turn has come. Returns undefined if it has come already, since nobody waits. */
  turn(caller: string): Promise<void> | undefined;
}

export function createWork(batch: number): Work {
  /**
   * Waiting requests by caller, oldest first. The first caller has the next turn. There are no more of them than
   * connections, since each connection has one request under way.
   */
  const byCaller = new Map<string, (() => void)[]>();
  let left = batch;
  let isRefilling = false;

  function refill(): void {
    isRefilling = false;
    left = batch;
    while (left > 0 && byCaller.size > 0) begin();
  }

  /** Begins the next batch after this one has had its time. */
  function refillLater(): void {
    if (isRefilling) return;
    isRefilling = true;
    setImmediate(refill);
  }

  function begin(): void {
    const [caller, own] = byCaller.entries().next().value!;
    byCaller.delete(caller);
    const next = own.shift()!;
    if (own.length > 0) byCaller.set(caller, own);
    left -= 1;
    refillLater();
    next();
  }

  return {
    turn(caller) {
      refillLater();
      if (left > 0 && byCaller.size === 0) {
        left -= 1;
        return undefined;
      }
      return new Promise((resolve) => {
        const own = byCaller.get(caller);
        if (own === undefined) byCaller.set(caller, [resolve]);
        else own.push(resolve);
      });
    },
  };
}
