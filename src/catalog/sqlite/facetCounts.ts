import type { DatabaseSync } from 'node:sqlite';
import type { FacetCounts, Facets } from '../../contract/index.ts';
import { FACET_LIMITS, type FacetLimits } from '../limits.ts';
import type { Filters } from '../requests.ts';
import { bitmapOf, countBoth } from './blocks.ts';
import { createMatches, type Matches } from './list.ts';
import { createMatching } from './matching.ts';

const TYPES = ['http', 'mcp'];
const VERIFIED = ['true', 'false'];

/** Returns a function that counts what matches filters, by the values of some filters. Reads no listing. */
export function createFacetCounts(
  db: DatabaseSync,
  limits: FacetLimits = FACET_LIMITS,
): (filters: Filters) => Facets {
  const matchesOf = createMatches(db);
  const matching = createMatching(db);
  const mostListed = createMostListed(db, limits);

  return (filters) => {
    const matches = matchesOf(filters);
    const shown = matches === undefined ? [] : shownBitmaps(matches);
    const counts = (values: readonly string[], filterOf: (value: string) => Filters): FacetCounts =>
      values
        .map((value) => ({ value, count: countIn(matching(filterOf(value))) }))
        .filter(({ count }) => count > 0)
        .sort((one, other) => other.count - one.count);
    const countIn = (members: ReturnType<typeof matching>): number =>
      shown.reduce((sum, { block, bitmap }) => {
        const found = members?.bitmapIn(block);
        return found === undefined ? sum : sum + countBoth(bitmap, found);
      }, 0);
    const { networks, assets, isComplete } = mostListed();
    return {
      type: counts(TYPES, (type) => ({ type })),
      network: counts(networks, (network) => ({ network })),
      asset: counts(assets, (asset) => ({ asset })),
      verified: counts(VERIFIED, (verified) => ({ verified: verified === 'true' })),
      isComplete,
    };
  };
}

/** Returns the blocks that have matches, without hidden ones. */
function shownBitmaps({ members, hidden }: Matches): { block: number; bitmap: Uint8Array }[] {
  const hiddenIn = new Map([...hidden.blocks()].map(({ block, data }) => [block, bitmapOf(data)]));
  return [...members.counts()].flatMap(({ block }) => {
    const bitmap = members.bitmapIn(block);
    if (bitmap === undefined) return [];
    const left = hiddenIn.get(block);
    if (left !== undefined) for (let at = 0; at < bitmap.length; at++) bitmap[at]! &= ~left[at]!;
    return [{ block, bitmap }];
  });
}

/** Returns a function that finds the most listed networks and assets. Looks at the oldest terms, as there may be many. */
function createMostListed(db: DatabaseSync, limits: FacetLimits) {
  const select = db.prepare('SELECT terms, listings FROM terms ORDER BY id LIMIT ?');

  return () => {
    const networks = new Map<string, number>();
    const assets = new Map<string, number>();
    const rows = select.all(limits.terms + 1) as { terms: string; listings: number }[];
    for (const { terms, listings } of rows.slice(0, limits.terms)) {
      const [asset, , network] = JSON.parse(terms) as [string, string, string];
      networks.set(network, (networks.get(network) ?? 0) + listings);
      assets.set(asset, (assets.get(asset) ?? 0) + listings);
    }
    const isEach = Math.max(networks.size, assets.size) <= limits.values;
    const most = (listed: Map<string, number>): string[] =>
      [...listed]
        .sort(([, one], [, other]) => other - one)
        .slice(0, limits.values)
        .map(([value]) => value);
    return {
      networks: most(networks),
      assets: most(assets),
      isComplete: isEach && rows.length <= limits.terms,
    };
  };
}
