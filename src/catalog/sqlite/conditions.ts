import type { DatabaseSync } from 'node:sqlite';
import type { Filters } from '../requests.ts';
import { amountOf, termsOfAsset } from '../traits.ts';
import { bitmapOf, bitmapWith, blockOf, BLOCK_SIZE, placeOf, rowId } from './blocks.ts';
import { doublesOf } from './traitRows.ts';

/** Returns which listings of a block meet a condition, as a bitmap that the caller may change; undefined if none do. */
export type Condition = (block: number) => Uint8Array | undefined;

/** Returns the conditions of the filters that are no facets. */
export function createConditions(db: DatabaseSync): (filters: Filters) => Condition[] {
  const ofResource = createResourceCondition(db);
  const ofPrice = createPriceCondition(db);
  const ofTime = createTimeCondition(db);
  const ofProof = createProofCondition(db);

  return (filters) => {
    const { resource, asset, updatedSince, verified } = filters;
    return [
      ...(resource === undefined ? [] : [ofResource(resource)]),
      ...(asset === undefined ? [] : [ofPrice({ ...filters, asset })]),
      ...(updatedSince === undefined ? [] : [ofTime(Date.parse(updatedSince))]),
      ...(verified === undefined ? [] : [ofProof(verified, Date.now())]),
    ];
  };
}

/** A page and the tools that are listed under its URL. */
function createResourceCondition(db: DatabaseSync) {
  const select = db.prepare('SELECT id FROM listing WHERE resource = ?');

  return (resource: string): Condition => {
    // Removed listings have an empty one.
    const rows = (resource === '' ? [] : select.all(resource)) as { id: number }[];
    const byBlock = Map.groupBy(rows, ({ id }) => blockOf(id));
    return (block) => {
      const here = byBlock.get(block);
      return here && bitmapWith(here.map(({ id }) => placeOf(id)));
    };
  };
}

/** One entry of `accepts` must have the asset, the scheme, the network and the amount. */
function createPriceCondition(db: DatabaseSync) {
  const selectTerms = db.prepare('SELECT id, terms FROM terms WHERE terms >= ? AND terms < ?');
  const selectMembers = db.prepare('SELECT data FROM price WHERE id = ?');
  const selectPrices = db.prepare('SELECT data, amounts FROM price WHERE id = ?');

  function idsOf({ asset, scheme, network }: Filters & { asset: string }): number[] {
    const rows = selectTerms.all(...termsOfAsset(asset)) as { id: number; terms: string }[];
    return rows
      .filter(({ terms }) => {
        const [, ofScheme, ofNetwork] = JSON.parse(terms) as string[];
        return (scheme ?? ofScheme) === ofScheme && (network ?? ofNetwork) === ofNetwork;
      })
      .map(({ id }) => id);
  }

  function membersIn(row: number): Uint8Array | undefined {
    const known = selectMembers.get(row) as { data: Uint8Array } | undefined;
    return known && bitmapOf(known.data);
  }

  function cheapIn(row: number, most: number): Uint8Array | undefined {
    const known = selectPrices.get(row) as { data: Uint8Array; amounts: Uint8Array } | undefined;
    if (known === undefined) return undefined;
    const bitmap = bitmapOf(known.data);
    const amounts = doublesOf(known.amounts, Math.floor(known.amounts.byteLength / 8));
    let nth = 0;
    for (let at = 0; at < bitmap.length; at++) {
      let cheap = 0;
      for (let bits = bitmap[at]!; bits !== 0; bits &= bits - 1)
        if (amounts[nth++]! <= most) cheap |= bits & -bits;
      bitmap[at] = cheap;
    }
    return bitmap;
  }

  return (filters: Filters & { asset: string }): Condition => {
    const ids = idsOf(filters);
    const most = filters.maxAmount === undefined ? undefined : amountOf(filters.maxAmount);
    return (block) => {
      let all: Uint8Array | undefined;
      for (const id of ids) {
        const row = rowId(id, block);
        const bitmap = most === undefined ? membersIn(row) : cheapIn(row, most);
        if (all === undefined || bitmap === undefined) all ??= bitmap;
        else for (let at = 0; at < all.length; at++) all[at]! |= bitmap[at]!;
      }
      return all;
    };
  };
}

function createTimeCondition(db: DatabaseSync) {
  const select = db.prepare('SELECT data FROM paid_at WHERE block = ?');

  return (sinceMs: number): Condition =>
    (block) => {
      const row = select.get(block) as { data: Uint8Array } | undefined;
      if (row === undefined) return undefined;
      const times = doublesOf(row.data, BLOCK_SIZE);
      const bitmap = new Uint8Array(BLOCK_SIZE / 8);
      for (let place = 0; place < BLOCK_SIZE; place++)
        // 0 stands for no listing.
        if (times[place]! >= sinceMs && times[place]! > 0) bitmap[place >> 3]! |= 1 << (place & 7);
      return bitmap;
    };
}

/** A proof that has ended no longer counts, whether or not it has been taken away. */
function createProofCondition(db: DatabaseSync) {
  const select = db.prepare('SELECT data FROM proven WHERE block = ?');
  const selectState = db.prepare('SELECT listings FROM state');

  return (isVerified: boolean, nowMs: number): Condition => {
    const { listings } = selectState.get() as { listings: number };
    return (block) => {
      const row = select.get(block) as { data: Uint8Array } | undefined;
      if (row === undefined && isVerified) return undefined;
      const times = doublesOf(row?.data, BLOCK_SIZE);
      const bitmap = new Uint8Array(BLOCK_SIZE / 8);
      // Ids count from 1 without gaps.
      const end = Math.min(BLOCK_SIZE, listings + 1 - block * BLOCK_SIZE);
      for (let place = block === 0 ? 1 : 0; place < end; place++)
        if (times[place]! > nowMs === isVerified) bitmap[place >> 3]! |= 1 << (place & 7);
      return bitmap;
    };
  };
}
