import type { OperationId } from '../contract/index.ts';
import { PLACES } from './limits.ts';

/** Limits how many requests of an operation are worked on at a time. */
export interface Places {
  /** Returns a function that gives the place back; null if none is free, in all or for the address. */
  take(operationId: OperationId, address: string): (() => void) | null;
}

/** Operations that are not named have no limit. */
export function createPlaces(limits = PLACES): Places {
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
      if (operation.inAll >= limit.inAll || own >= limit.perAddress) return null;
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
