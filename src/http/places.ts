import type { OperationId } from '../contract/index.ts';
import { PLACES } from './limits.ts';
import { createShares } from './shares.ts';

/** Limits how many requests of an operation are worked on at a time. */
export interface Places {
  /** Returns a function that gives the place back; null if none is free, in all or for the address. */
  take(operationId: OperationId, address: string): (() => void) | null;
}

/** Operations that are not named have no limit. */
export function createPlaces(limits = PLACES): Places {
  const shares = new Map(Object.entries(limits).map(([id, limit]) => [id, createShares(limit)]));
  return {
    take(operationId, address) {
      let isTaken = true;
      // A request that is worked on never gives way: if there is no room, the newcomer does.
      const share = shares.get(operationId)?.take(address, 1, () => (isTaken = false));
      share?.keep();
      return isTaken ? () => share?.release() : null;
    },
  };
}
