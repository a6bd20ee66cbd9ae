import type { OperationId } from '../contract/index.ts';
import { PLACES } from './limits.ts';
import { createShares } from './shares.ts';

/** How many requests of an operation are worked on at a time. */
export interface Places {
  /** What gives the place back; null where all are taken, in all or of the address. */
  take(operationId: OperationId, address: string): (() => void) | null;
}

/** Operations that are not named have places for all. */
export function createPlaces(limits = PLACES): Places {
  const shares = new Map(Object.entries(limits).map(([id, limit]) => [id, createShares(limit)]));
  return {
    take(operationId, address) {
      let isTaken = true;
      // What is worked on never gives way: where there is no room, the newcomer does.
      const share = shares.get(operationId)?.take(address, 1, () => (isTaken = false));
      share?.keep();
      return isTaken ? () => share?.release() : null;
    },
  };
}
