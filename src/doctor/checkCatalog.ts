/** Checks the listings of a catalog, and marks those that do not hold any more. */
import type { CheckableListing, Checks, Stale } from '../catalog/index.ts';
import { checkListings } from './checkListings.ts';
import type { Standing, StandingDeps } from './standing.ts';

export interface CheckCatalogDeps extends StandingDeps {
  readonly checks: Checks;
  /** Hears of each change, and of the totals so far after each listing. */
  readonly onChange: (listing: CheckableListing, stale: Stale | undefined) => void;
  readonly onProgress: (totals: CheckTotals) => void;
  /** Unix time in ms. */
  readonly now: () => number;
}

export interface CheckRequest {
  /** The id of the listing after which the check begins. */
  readonly after: number;
  /** How many listings are checked. */
  readonly limit: number;
}

export interface CheckTotals {
  listings: number;
  /** Those that are offered as listed. */
  offered: number;
  /** Those that are not, and are marked now. */
  stale: number;
  /** Those of which neither could be told. */
  notTold: number;
  /** Those that are no `http` listings, or whose addresses are out of reach. */
  notAsked: number;
  /** Listings that this check marked, and unmarked. */
  marked: number;
  unmarked: number;
  /** The listing after which the next check begins; undefined at the end of the catalog. */
  next: number | undefined;
}

/** Checks the listings that are shown. What cannot be told leaves a listing as it is. Rejects if the store fails. */
export async function checkCatalog(
  deps: CheckCatalogDeps,
  { after: first, limit }: CheckRequest,
): Promise<CheckTotals> {
  const { checks, onChange, onProgress, now } = deps;
  const totals: CheckTotals = {
    ...{ listings: 0, offered: 0, stale: 0, notTold: 0, notAsked: 0 },
    ...{ marked: 0, unmarked: 0, next: undefined },
  };

  async function heard(listing: CheckableListing, standing: Standing): Promise<void> {
    const before = listing.item.stale;
    const after = staleAfter(standing, before, now());
    const isChanged = after?.reason !== before?.reason;
    if (!isChanged) count(totals, standing);
    else if (await checks.mark(listing, after)) {
      count(totals, standing);
      totals.marked += Number(before === undefined);
      totals.unmarked += Number(after === undefined);
      onChange(listing, after);
    } else {
      // It has changed meanwhile: what was found is not about what it says now.
      count(totals, 'not_told');
    }
    onProgress(totals);
  }

  async function* listings(): AsyncGenerator<readonly CheckableListing[]> {
    let [left, last] = [limit, first];
    for await (const some of checks.listings(first)) {
      const taken = some.slice(0, left);
      if (taken.length > 0) yield taken;
      left -= taken.length;
      last = taken.at(-1)?.id ?? last;
      if (taken.length === some.length) continue;
      totals.next = last;
      return;
    }
  }

  await checkListings({ ...deps, heard }, listings());
  return totals;
}

/** Returns the mark after a check. It keeps since when no check has found the listing as it says. */
function staleAfter(standing: Standing, before: Stale | undefined, nowMs: number): Stale | undefined {
  switch (standing) {
    case 'offered':
      return undefined;
    case 'answered':
      return before?.reason === 'no_answer' ? undefined : before;
    case 'not_told':
    case 'not_asked':
      return before;
    default:
      return { reason: standing, since: before?.since ?? new Date(nowMs).toISOString() };
  }
}

function count(totals: CheckTotals, standing: Standing): void {
  totals.listings += 1;
  if (standing === 'offered') totals.offered += 1;
  else if (standing === 'not_asked') totals.notAsked += 1;
  else if (standing === 'answered' || standing === 'not_told') totals.notTold += 1;
  else totals.stale += 1;
}
