import type { DatabaseSync } from 'node:sqlite';
import { keptListing, pageLimit } from '../keeper/kept.ts';
import { originOf, recipientKey } from '../keeper/target.ts';
import type { KeptDetail, KeptListing, KeptPage, KeptRequest } from '../keeper/types.ts';
import type { Blocked } from './blocked.ts';
import { createHidden, type Hidden } from './hidden.ts';
import { readItem, REMOVED } from './listingRow.ts';

/** The columns that come before the item, and are read quickly. */
interface Named {
  readonly id: number;
  readonly resource: string;
  readonly owner: string;
}

interface Row extends Named {
  readonly item: string;
  readonly hidden: number;
}

/** Reads listings as their keeper sees them. A page looks at a limited number of listings. */
export function createKeptListings(db: DatabaseSync, blocked: Blocked, scannedPerPage: number) {
  const selectNamed = db.prepare('SELECT id, resource, owner FROM listing WHERE id = ? AND type <> ?');
  const selectRow = db.prepare('SELECT id, resource, owner, item, hidden FROM listing WHERE id = ?');
  const hidden = createHidden(db);
  const candidates = createCandidates(db, blocked, hidden);

  function isAskedFor(row: Named, { origin, payTo, isHidden, text = '' }: KeptRequest): boolean {
    return (
      (payTo === undefined || recipientKey(row.owner) === recipientKey(payTo)) &&
      (origin === undefined || originOf(row.resource) === origin) &&
      row.resource.toLowerCase().includes(text.toLowerCase()) &&
      (isHidden === undefined || hidden.has(row.id) === isHidden)
    );
  }

  function keptOf({ id, owner, item: text, hidden: hiddenHere, resource }: Row): KeptListing {
    const row = { id, owner, item: readItem(text), isHidden: hiddenHere === 1 };
    return { ...keptListing(row, blocked.covering({ resource, owner })), resource };
  }

  return {
    page(request: KeptRequest): KeptPage {
      const limit = pageLimit(request.limit);
      const listings: KeptListing[] = [];
      let scanned = 0;
      let last = 0;
      for (const id of candidates(request)) {
        if (listings.length === limit || scanned === scannedPerPage) return { listings, next: last };
        scanned += 1;
        last = id;
        const named = selectNamed.get(id, NO_TYPE) as Named | undefined;
        if (named !== undefined && isAskedFor(named, request))
          listings.push(keptOf(selectRow.get(id) as unknown as Row));
      }
      return { listings, next: undefined };
    },

    one(id: number): Omit<KeptDetail, 'acts'> | undefined {
      const row = selectRow.get(id) as Row | undefined;
      if (row === undefined || row.item === REMOVED) return undefined;
      return { listing: keptOf(row), item: readItem(row.item) };
    },
  };
}

/** The type of a listing that was removed. */
const NO_TYPE = '';

/** Returns a function that names the listings to look at, in order: as few as one of the filters allows. */
function createCandidates(
  db: DatabaseSync,
  blocked: Blocked,
  hidden: Hidden,
): (request: KeptRequest) => Iterable<number> {
  const selectState = db.prepare('SELECT listings FROM state');

  function* everyIdAfter(id: number): Generator<number> {
    const { listings } = selectState.get() as { listings: number };
    for (let next = id + 1; next <= listings; next += 1) yield next;
  }

  return ({ origin, payTo, isHidden, after = 0 }) => {
    const target =
      payTo !== undefined
        ? ({ kind: 'recipient', value: payTo } as const)
        : origin !== undefined && ({ kind: 'origin', value: origin } as const);
    if (target !== false)
      return blocked
        .listings(target)
        .filter((id) => id > after)
        .sort((a, b) => a - b);
    return isHidden === true ? hidden.after(after) : everyIdAfter(after);
  };
}
