import type { DatabaseSync } from 'node:sqlite';
import { BLOCK_SIZE, bytesOf, find, membersOf, placesIn } from './blocks.ts';
import { rows, type Rows } from './indexRows.ts';

/** The lowest amounts of the listings of a block under some terms. */
export interface PriceRow {
  count: number;
  /** In order. Those after the first `count` are room for more. */
  places: Uint16Array;
  /** The amount at each of them. */
  amounts: Float64Array;
  isChanged: boolean;
}

/** Reads and writes rows by their id, see `rowId`. */
export function priceRows(db: DatabaseSync): Rows<number, PriceRow> {
  const select = db.prepare('SELECT data, amounts FROM price WHERE id = ?');
  const write = db.prepare('INSERT OR REPLACE INTO price (id, listings, data, amounts) VALUES (?, ?, ?, ?)');
  const remove = db.prepare('DELETE FROM price WHERE id = ?');
  return rows(
    (id) => {
      const row = select.get(id) as { data: Uint8Array; amounts: Uint8Array } | undefined;
      const places = row === undefined ? new Uint16Array() : placesIn(row.data);
      const amounts = doublesOf(row?.amounts, places.length);
      return { count: places.length, places, amounts, isChanged: false };
    },
    (id, { count, places, amounts, isChanged }) => {
      if (!isChanged) return;
      if (count === 0) remove.run(id);
      else write.run(id, count, membersOf(places.subarray(0, count)), bytesOf(amounts.subarray(0, count)));
    },
  );
}

/** Returns whether the place is new in the row. */
export function setPrice(row: PriceRow, place: number, amount: number): boolean {
  const at = find(row.places, row.count, place);
  if (at >= 0) {
    if (row.amounts[at] === amount) return false;
    row.amounts[at] = amount;
    row.isChanged = true;
    return false;
  }
  if (row.count === row.places.length) makeRoom(row);
  const { places, amounts, count } = row;
  places.copyWithin(~at + 1, ~at, count);
  amounts.copyWithin(~at + 1, ~at, count);
  places[~at] = place;
  amounts[~at] = amount;
  row.count += 1;
  row.isChanged = true;
  return true;
}

/** Returns whether the place was in the row. */
export function removePrice(row: PriceRow, place: number): boolean {
  const { places, amounts, count } = row;
  const at = find(places, count, place);
  if (at < 0) return false;
  places.copyWithin(at, at + 1, count);
  amounts.copyWithin(at, at + 1, count);
  row.count -= 1;
  row.isChanged = true;
  return true;
}

/** Makes room for one more place, and half as many again: the fill of an index adds one after the other. */
function makeRoom(row: PriceRow): void {
  const { places, amounts, count } = row;
  const capacity = Math.min(BLOCK_SIZE, Math.ceil(1.5 * (count + 1)));
  row.places = new Uint16Array(capacity);
  row.amounts = new Float64Array(capacity);
  row.places.set(places);
  row.amounts.set(amounts);
}

/** Reads and writes when the listings of each block were last paid for, in unix milliseconds, by place. */
export function paidAtRows(db: DatabaseSync): Rows<number, Float64Array> {
  const select = db.prepare('SELECT data FROM paid_at WHERE block = ?');
  const write = db.prepare('INSERT OR REPLACE INTO paid_at (block, data) VALUES (?, ?)');
  return rows(
    (block) => doublesOf((select.get(block) as { data: Uint8Array } | undefined)?.data, BLOCK_SIZE),
    (block, times) => void write.run(block, bytesOf(times)),
  );
}

/** Until when the listings of a block show a proof, in unix milliseconds, by place. */
export interface ProvenRow {
  readonly times: Float64Array;
  isChanged: boolean;
}

export function provenRows(db: DatabaseSync): Rows<number, ProvenRow> {
  const select = db.prepare('SELECT data FROM proven WHERE block = ?');
  const write = db.prepare('INSERT OR REPLACE INTO proven (block, data) VALUES (?, ?)');
  return rows(
    (block) => {
      const row = select.get(block) as { data: Uint8Array } | undefined;
      return { times: doublesOf(row?.data, BLOCK_SIZE), isChanged: false };
    },
    (block, { times, isChanged }) => void (isChanged && write.run(block, bytesOf(times))),
  );
}

/** Reads so many doubles, with 0 for those that a damaged row does not have. */
export function doublesOf(data: Uint8Array | undefined, count: number): Float64Array {
  const { buffer, byteOffset, byteLength } = data ?? new Uint8Array();
  if (byteLength === 8 * count && byteOffset % 8 === 0) return new Float64Array(buffer, byteOffset, count);
  const bytes = new Uint8Array(8 * count);
  bytes.set((data ?? new Uint8Array()).subarray(0, bytes.length));
  return new Float64Array(bytes.buffer);
}
