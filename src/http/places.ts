import type { OperationId } from '../contract/index.ts';

/** Limits how many requests of an operation are worked on at a time. */
export interface Places {
  /** Returns a function that gives the place back; undefined if none is free, overall or for the caller. */
  take(operationId: OperationId, caller: string): (() => void) | undefined;
  state(): PlacesState[];
}

/** The places of an operation. */
export interface PlacesState {
  readonly operationId: string;
  readonly taken: number;
  readonly inAll: number;
}

export interface PlacesLimit {
  readonly inAll: number;
  /** Maximum per caller; 'fair' is an equal share that leaves one more share free for the next caller. */
  readonly perCaller: number | 'fair';
}

/** Operations that are not named have no limit. */
export function createPlaces(limits: Readonly<Record<string, PlacesLimit>>): Places {
  const operations = new Map(
    Object.entries(limits).map(([id, limit]) => [
      id,
      { limit, inAll: 0, byCaller: new Map<string, number>() },
    ]),
  );
  return {
    take(operationId, caller) {
      const operation = operations.get(operationId);
      if (operation === undefined) return () => {};
      const { limit, byCaller } = operation;
      const own = byCaller.get(caller) ?? 0;
      const most = limit.perCaller === 'fair' ? fairShare(limit.inAll, byCaller, caller) : limit.perCaller;
      if (operation.inAll >= limit.inAll || own >= most) return undefined;
      operation.inAll += 1;
      byCaller.set(caller, own + 1);
      let isTaken = true;
      return () => {
        if (!isTaken) return;
        isTaken = false;
        operation.inAll -= 1;
        const left = byCaller.get(caller)! - 1;
        if (left > 0) byCaller.set(caller, left);
        else byCaller.delete(caller);
      };
    },
    state: () =>
      [...operations].map(([operationId, { limit, inAll: taken }]) => ({
        operationId,
        taken,
        inAll: limit.inAll,
      })),
  };
}

/** Returns a caller's fair share. Nobody who has a place gives it up, so enough must be left for the next caller. */
function fairShare(inAll: number, byCaller: ReadonlyMap<string, number>, caller: string): number {
  const callers = byCaller.size + (byCaller.has(caller) ? 0 : 1);
  return Math.max(1, Math.floor(inAll / (callers + 1)));
}
