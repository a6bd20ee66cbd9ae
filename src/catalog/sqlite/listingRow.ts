import { createHash } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import type { DiscoveryResource } from '../../contract/index.ts';
import type { Known } from '../decide.ts';
import { isObject } from '../declaration/json.ts';
import { TOOL_KEY_LIMIT_CHARACTERS } from '../limits.ts';
import type { ListingKey } from '../listing.ts';
import type { Wording } from '../search/wording.ts';
import type { LedgerClose } from '../store.ts';

/** A listing as it is stored. */
export interface ListingRow {
  id: number;
  owner: string;
  item: string;
  words: string;
  length: number;
  ledger: number | null;
  closedAt: number | null;
  /** See payers.ts. */
  payers: string | null;
  /** The position of its latest entry in a shared log; null if there is none. */
  position: number | null;
  /** 1 if the operator or its seller hides it by itself, or if it was removed. */
  hidden: number;
}

export const LISTING_COLUMNS =
  'id, owner, item, words, length, ledger, closed_at AS closedAt, payers, position, hidden';
export const SELECT_LISTING = `SELECT ${LISTING_COLUMNS} FROM listing`;

/** The item of a listing that was removed. Its row keeps nothing else of it, and its name is free. */
export const REMOVED = '';

/** Returns undefined if the row is damaged. The listing's next sale writes it again. */
export function readItem(text: string): DiscoveryResource | undefined {
  try {
    const item = JSON.parse(text) as DiscoveryResource | null;
    const terms: unknown = item?.accepts;
    return Array.isArray(terms) && terms.every(isObject) ? (item ?? undefined) : undefined;
  } catch {
    return undefined;
  }
}

/** Returns a listing as it is served: what has expired of a proof or a confirmation is no longer shown. */
export function shownItem(row: { item: string; provenUntil: number | null }, nowMs: number): string {
  const isProofOver = row.provenUntil !== null && row.provenUntil <= nowMs;
  // Only few are parsed. The name may be a seller's, too, somewhere in its schema: that costs time, and changes nothing.
  if (!isProofOver && !row.item.includes('"confirmed":')) return row.item;
  const item = JSON.parse(row.item) as DiscoveryResource;
  const current = <Mark extends { until: string }>(mark: Mark | undefined): Mark | undefined =>
    mark !== undefined && Date.parse(mark.until) > nowMs ? mark : undefined;
  const [verified, confirmed] = [current(item.verified), current(item.confirmed)];
  // JSON leaves out what is undefined.
  return JSON.stringify({ ...item, verified, confirmed });
}

/** Returns the hash of a long name: the file stores a name twice beside the listing itself. */
export function toolKey(toolName: string): string {
  if (toolName.length <= TOOL_KEY_LIMIT_CHARACTERS) return toolName;
  return `sha256:${createHash('sha256').update(toolName).digest('hex')}`;
}

/** Returns a list and not an object, so that names such as `__proto__` stay intact. */
export function wordsText({ words }: Wording): string {
  return JSON.stringify([...words]);
}

/** Returns no words if the row is damaged. Its entries then stay in the index. */
export function wordsFrom(text: string): Map<string, number> {
  try {
    return new Map(JSON.parse(text) as [string, number][]);
  } catch {
    return new Map();
  }
}

/** Finds a listing by its key. */
export function createListingSelect(db: DatabaseSync): (key: ListingKey) => ListingRow | undefined {
  const select = db.prepare(`${SELECT_LISTING} WHERE resource = ? AND type = ? AND tool_name = ?`);
  return ({ resource, type, toolName }) =>
    select.get(resource, type, toolKey(toolName)) as unknown as ListingRow | undefined;
}

export function knownOf({
  owner,
  item,
  ledger,
  closedAt,
  payers,
}: Pick<ListingRow, 'owner' | 'item' | 'ledger' | 'closedAt' | 'payers'>): Known {
  return { owner, item: readItem(item), close: closeIn(ledger, closedAt), payers };
}

export function closeIn(ledger: number | null, seconds: number | null): LedgerClose | undefined {
  return ledger === null || seconds === null ? undefined : { ledger, seconds };
}

/** Returns until when a listing shows a proof, in unix ms. */
export const provenUntil = ({ verified }: DiscoveryResource): number | null =>
  verified === undefined ? null : Date.parse(verified.until);

export const columnsOf = (close: LedgerClose | undefined): (number | null)[] =>
  close === undefined ? [null, null] : [close.ledger, close.seconds];
