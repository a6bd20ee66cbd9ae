/**
 * Shares the main thread's work on requests among addresses. A batch of requests is begun at a time, and addresses take
 * turns. New arrivals are looked at between two batches. So an address that sends many requests waits only behind its
 * own.
 */
export interface Work {
  /** Resolves when the turn has come. Returns undefined if it has come already, since nobody waits. */
  turn(address: string): Promise<void> | undefined;
}

export function createWork(batch: number): Work {
  /**
   * Waiting requests by address, oldest first. The first address has the next turn. There are no more of them than
   * connections, since each connection has one request under way.
   */
  const byAddress = new Map<string, (() => void)[]>();
  let left = batch;
  let isRefilling = false;

  function refill(): void {
    isRefilling = false;
    left = batch;
    while (left > 0 && byAddress.size > 0) begin();
  }

  /** Begins the next batch after this one has had its time. */
  function refillLater(): void {
    if (isRefilling) return;
    isRefilling = true;
    setImmediate(refill);
  }

  function begin(): void {
    const [address, own] = byAddress.entries().next().value!;
    byAddress.delete(address);
    const next = own.shift()!;
    if (own.length > 0) byAddress.set(address, own);
    left -= 1;
    refillLater();
    next();
  }

  return {
    turn(address) {
      refillLater();
      if (left > 0 && byAddress.size === 0) {
        left -= 1;
        return undefined;
      }
      return new Promise((resolve) => {
        const own = byAddress.get(address);
        if (own === undefined) byAddress.set(address, [resolve]);
        else own.push(resolve);
      });
    },
  };
}
