/**
 * What one invocation reads and writes. Without a declared footprint every access is allowed and recorded,
 * as in simulation; with one, an access outside of it is refused, as in a ledger.
 */
import type { xdr } from '@stellar/stellar-sdk';
import type { Key } from '../ledger/keys.ts';
import { isLive, minLiveUntil, storedEntry } from '../ledger/state.ts';
import type { LedgerView, StoredEntry } from '../ledger/state.ts';

export interface Footprint {
  readOnly: Key[];
  readWrite: Key[];
}

/** An entry of the read-write half, before and after; `after` is missing if it was never there. */
export interface EntryChange {
  key: Key;
  before: StoredEntry | undefined;
  after: StoredEntry | undefined;
}

export interface Storage {
  get(key: Key): StoredEntry | undefined;
  /** Writes an entry. `liveUntilLedger` can only lengthen its life. */
  put(key: Key, data: xdr.LedgerEntryData, liveUntilLedger?: number): void;
  /** Both halves in the order of their keys. */
  footprint(): Footprint;
  /** The read-write half with its entries. */
  changes(): EntryChange[];
  /** The entries that were there at the start, of both halves. */
  entriesBefore(): StoredEntry[];
}

/** Thrown on an access that the declared footprint does not allow. */
export class OutsideFootprint extends Error {
  readonly key: Key;

  constructor(key: Key) {
    super('access outside of the footprint');
    this.key = key;
  }
}

interface Access extends EntryChange {
  isWrite: boolean;
}

export function createStorage(state: LedgerView, ledger: number, declared?: Footprint): Storage {
  const accesses = new Map<string, Access>();

  const access = (key: Key, isWrite: boolean): Access => {
    const known = accesses.get(key.id);
    if (declared && !(known && (known.isWrite || !isWrite))) throw new OutsideFootprint(key);
    if (!known) return open(key, isWrite);
    known.isWrite ||= isWrite;
    return known;
  };
  const open = (key: Key, isWrite: boolean): Access => {
    const found = state.get(key.id);
    const before = found && isLive(found, ledger) ? found : undefined;
    const opened = { key, isWrite, before, after: before };
    accesses.set(key.id, opened);
    return opened;
  };
  declared?.readOnly.forEach((key) => open(key, false));
  declared?.readWrite.forEach((key) => open(key, true));

  const inKeyOrder = (isWrite: boolean) =>
    [...accesses.values()]
      .filter((entry) => entry.isWrite === isWrite)
      .sort((a, b) => Buffer.compare(a.key.bytes, b.key.bytes));

  return {
    get: (key) => access(key, false).after,
    put(key, data, liveUntilLedger = 0) {
      const entry = access(key, true);
      const shortest = entry.after ? entry.after.liveUntilLedger : minLiveUntil(key.xdr, ledger);
      const liveUntil = shortest === null ? null : Math.max(shortest, liveUntilLedger);
      // The ledger that stores the entry notes its own sequence in it.
      entry.after = storedEntry(key, data, 0, liveUntil);
    },
    footprint: () => ({
      readOnly: inKeyOrder(false).map(({ key }) => key),
      readWrite: inKeyOrder(true).map(({ key }) => key),
    }),
    changes: () => inKeyOrder(true),
    entriesBefore: () => [...accesses.values()].flatMap(({ before }) => before ?? []),
  };
}
