import { BATCH } from './limits.ts';

/**
 * The main thread's work on requests, shared by address: some are begun at a time, and addresses take turns. Between two
 * batches whatever has arrived is looked at. So one who asks for much waits behind itself.
 */
export interface Work {
  /** Resolves when the turn has come; at once, without a promise, if nobody waits. */
  turn(address: string): Promise<void> | undefined;
}

export function createWork(batch = BATCH): Work {
  /**
   * Waiting requests by address, oldest first; the first address has the next turn. There are no more of them than
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

  /** After this batch has had its time. */
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
