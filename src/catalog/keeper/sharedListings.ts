import type { Query, Row } from '../../store/postgres.ts';
import { SCHEMA } from '../../store/postgresSchema.ts';
import { readItem } from '../sqlite/listingRow.ts';
import { keptListing, pageLimit } from './kept.ts';
import { beginningsOf, coveringKeys, keyOfBlock, recipientKey, type BlockTarget } from './target.ts';
import type { Block, KeeperReads, KeptListing } from './types.ts';

const ONE = `SELECT id, owner, item, hidden FROM ${SCHEMA}.listing WHERE id = $1 AND item <> ''`;

/**
 * A filter that is not given is null. Texts are compared row by row, which takes long in a large catalog. $5 asks for
 * what is hidden, $6 and $7 say which origins and owners are blocked.
 */
const PAGE = `
  SELECT id, owner, item, hidden FROM (
    SELECT id, owner, item, hidden, ${SCHEMA}.resource_of(item) AS resource
    FROM ${SCHEMA}.listing
    WHERE id > $1 AND item <> '' AND ($2::text[] IS NULL OR owner LIKE ANY ($2))
  ) AS kept
  WHERE ($3::text IS NULL OR starts_with(resource, $3))
    AND ($4::text IS NULL OR strpos(lower(resource), lower($4)) > 0)
    AND ($5::boolean IS NULL OR $5 = (
      hidden OR owner LIKE ANY ($6) OR substring(resource FROM '^[a-z]+://[^/]+') = ANY ($7)))
  ORDER BY id LIMIT $8`;

/** Reads listings from the database itself: slower than from an index, and without one. */
export function listingsIn(
  query: Query,
  blocksInForce: () => Promise<readonly Block[]>,
): Pick<KeeperReads, 'listings' | 'listing'> {
  function keptOf(rows: readonly Row[], blocks: readonly Block[]): KeptListing[] {
    const byKey = new Map(blocks.map(({ kind, value }) => [keyOfBlock({ kind, value }), { kind, value }]));
    return rows.map(({ id, owner, item: text, hidden }) => {
      const item = readItem(String(text));
      const row = { id: Number(id), owner: String(owner), item, isHidden: hidden === true };
      const keys = coveringKeys({ resource: item?.resource ?? '', owner: row.owner });
      const blockedBy = keys.map((key) => byKey.get(key)).filter((target): target is BlockTarget => !!target);
      return keptListing(row, blockedBy);
    });
  }

  return {
    async listings({ payTo, origin, text, isHidden, after = 0, limit: requested }) {
      const limit = pageLimit(requested);
      const blocks = await blocksInForce();
      const values = (kind: Block['kind']): string[] =>
        blocks.filter((block) => block.kind === kind).map(({ value }) => value);
      const rows = await query(PAGE, [
        after,
        payTo === undefined ? null : patternsOf(payTo),
        origin === undefined ? null : `${origin}/`,
        text,
        isHidden,
        values('recipient').flatMap(patternsOf),
        values('origin'),
        limit + 1,
      ]);
      const page = rows.slice(0, limit);
      const listings = keptOf(page, blocks);
      const isAskedFor = (listing: KeptListing): boolean =>
        payTo === undefined || recipientKey(listing.payTo) === recipientKey(payTo);
      const next = rows.length > limit ? Number(page.at(-1)!['id']) : undefined;
      return { listings: listings.filter(isAskedFor), next };
    },

    async listing(id) {
      const [row] = await query(ONE, [id]);
      if (row === undefined) return undefined;
      const [listing] = keptOf([row], await blocksInForce());
      return { listing: listing!, item: readItem(String(row['item'])) };
    },
  };
}

/** Returns patterns for the owners that a recipient stands for. */
function patternsOf(address: string): string[] {
  return beginningsOf(recipientKey(address)).map((beginning) => `${beginning.replace(/[\\%_]/g, '\\$&')}%`);
}
