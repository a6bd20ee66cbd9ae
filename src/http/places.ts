import type { OperationId } from '../contract/index.ts';

/** Limits how many requests of an operation are worked on at a time. */
export interface Places {
  /** Returns a function that gives the place back; undefined if none is free, overall or for the address. */
  take(operationId: OperationId, address: string): (() => void) | undefined;
}

export interface PlacesLimit {
  readonly inAll: number;
  /** Maximum per address; 'fair' is an equal share that leaves one more share free for the next address. */
  readonly perAddress: number | 'fair';
}

/** Operations that are not named have no limit. */
export function createPlaces(limits: Readonly<Record<string, PlacesLimit>>): Places {
  const operations = new Map(
    Object.entries(limits).map(([id, limit]) => [
      id,
      { limit, inAll: 0, byAddress: new Map<string, number>() },
    ]),
  );
  return {
    take(operationId, address) {
      const operation = operations.get(operationId);
      if (operation === undefined) return () => {};
      const { limit, byAddress } = operation;
      const own = byAddress.get(address) ?? 0;
      const most =
        limit.perAddress === 'fair' ? fairShare(limit.inAll, byAddress, address) : limit.perAddress;
      if (operation.inAll >= limit.inAll || own >= most) return undefined;
      operation.inAll += 1;
      byAddress.set(address, own + 1);
      let isTaken = true;
      return () => {
        if (!isTaken) return;
        isTaken = false;
        operation.inAll -= 1;
        const left = byAddress.get(address)! - 1;
        if (left > 0) byAddress.set(address, left);
        else byAddress.delete(address);
      };
    },
  };
}

/** Returns an address's fair share. Nobody who has a place gives it up, so enough must be left for the next address. */
function fairShare(inAll: number, byAddress: ReadonlyMap<string, number>, address: string): number {
  const addresses = byAddress.size + (byAddress.has(address) ? 0 : 1);
  return Math.max(1, Math.floor(inAll / (addresses + 1)));
}
