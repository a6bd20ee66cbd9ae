import type { DatabaseSync } from 'node:sqlite';
import type { DiscoveryResource } from '../../contract/index.ts';
import { parameterText } from '../declaration/parameterText.ts';
import { facetsOf } from '../facets.ts';
import { isVerified, itemAfter, itemBefore, onlyTerms, withTerms } from '../item.ts';
import { MAX_EARLIER_WORDINGS } from '../limits.ts';
import { wordingOf, type Wording } from '../search/wording.ts';
import type { LedgerClose, PutResult, Settlement } from '../store.ts';
import { transaction } from '../../store/sqliteFile.ts';
import { createIndexWriter } from './indexWriter.ts';
import {
  closeIn,
  columnsOf,
  readItem,
  toolKey,
  wordsFrom,
  wordsText,
  type ListingRow,
} from './listingRow.ts';
import { createNewListings } from './newListings.ts';

interface State {
  listings: number;
  tokens: number;
  clock: number;
}

type Parts = ReturnType<typeof createParts>;

/**
 * Writes listings and their index. The recipient that was paid first owns a listing; others cannot change it. Each
 * owner may make `newListingsPerHour` new listings per hour.
 */
export function createPut(db: DatabaseSync, newListingsPerHour: number) {
  const parts = createParts(db, newListingsPerHour);
  const selectState = db.prepare('SELECT listings, tokens, clock FROM state');
  const updateState = db.prepare('UPDATE state SET listings = $listings, tokens = $tokens, clock = $clock');

  return (settlements: readonly Settlement[]): PutResult[] => {
    try {
      return transaction(db, 'BEGIN IMMEDIATE', () => {
        const state = selectState.get() as unknown as State;
        const results = settlements.map((settlement) => put(parts, settlement, state));
        parts.index.flush();
        updateState.run({ ...state });
        return results;
      });
    } catch (error) {
      parts.index.discard();
      throw error;
    }
  };
}

function createParts(db: DatabaseSync, newListingsPerHour: number) {
  return {
    index: createIndexWriter(db),
    newListings: createNewListings(db, newListingsPerHour),
    select: db.prepare(
      `SELECT id, owner, item, words, length, ledger, closed_at AS closedAt FROM listing
       WHERE resource = ? AND type = ? AND tool_name = ?`,
    ),
    insert: db.prepare(
      `INSERT INTO listing (id, resource, type, tool_name, owner, item, ledger, closed_at, words, length)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    updateItem: db.prepare('UPDATE listing SET item = ?, ledger = ?, closed_at = ? WHERE id = ?'),
    updateWords: db.prepare('UPDATE listing SET words = ?, length = ? WHERE id = ?'),
    insertEarlier: db.prepare(
      'INSERT INTO earlier_wording (reworded, listing, words, length) VALUES (?, ?, ?, ?)',
    ),
    forgetUpTo: db.prepare('DELETE FROM earlier_wording WHERE reworded <= ?'),
  };
}

function put(parts: Parts, settlement: Settlement, state: State): PutResult {
  const { declaration, requirements, settledAt } = settlement;
  const { resource, type, toolName } = declaration;
  const row = parts.select.get(resource, type, toolKey(toolName)) as unknown as ListingRow | undefined;
  if (row === undefined) {
    if (parts.newListings.isFull(requirements.payTo, settledAt)) return 'too many new';
    create(parts, settlement, state);
    return 'listed';
  }
  if (row.owner !== requirements.payTo) return 'owned by another';
  refresh(parts, settlement, row, state);
  return 'refreshed';
}

function create({ index, insert, newListings }: Parts, settlement: Settlement, state: State): void {
  const { declaration, requirements, settledAt, ledgerClose } = settlement;
  const { resource, type, toolName } = declaration;
  const item = itemAfter(settlement, undefined);
  const wording = wordingIn(item);
  const id = (state.listings += 1);
  state.tokens += wording.length;
  const key = [id, resource, type, toolKey(toolName), requirements.payTo];
  insert.run(...key, JSON.stringify(item), ...columnsOf(ledgerClose), wordsText(wording), wording.length);
  newListings.add(id, requirements.payTo, settledAt);
  index.reword(id, undefined, wording);
  for (const facet of facetsOf(item)) index.addMember(id, facet);
}

function refresh(parts: Parts, settlement: Settlement, row: ListingRow, state: State): void {
  const before = readItem(row.item);
  const { item, latest } = refreshed(settlement, before, closeIn(row));
  parts.updateItem.run(JSON.stringify(item), ...columnsOf(latest), row.id);
  const known = before ? facetsOf(before) : new Set();
  for (const facet of facetsOf(item)) if (!known.has(facet)) parts.index.addMember(row.id, facet);
  reword(parts, row, wordingIn(item), state);
}

function reword(parts: Parts, row: ListingRow, wording: Wording, state: State): void {
  const { index, updateWords, insertEarlier, forgetUpTo } = parts;
  const words = wordsText(wording);
  if (words === row.words && wording.length === row.length) return;
  state.tokens += wording.length - row.length;
  state.clock += 1;
  updateWords.run(words, wording.length, row.id);
  index.reword(row.id, { words: wordsFrom(row.words), length: row.length }, wording);
  insertEarlier.run(state.clock, row.id, row.words, row.length);
  forgetUpTo.run(state.clock - MAX_EARLIER_WORDINGS);
}

/** Returns the listing after one more settlement, and the ledger of its latest settlement. */
function refreshed(
  settlement: Settlement,
  before: DiscoveryResource | undefined,
  close: LedgerClose | undefined,
): { item: DiscoveryResource; latest: LedgerClose | undefined } {
  const { isStellarAsset, ledgerClose } = settlement;
  if (before === undefined) return { item: itemAfter(settlement, before), latest: ledgerClose };
  // Anyone can create a token for free: payments in it must not decide what other people's listings say.
  if (!isStellarAsset && isVerified(before)) return { item: withTerms(settlement, before), latest: close };
  if (isStellarAsset && !isVerified(before))
    return { item: itemAfter(settlement, onlyTerms(before)), latest: ledgerClose };
  if (isBefore(ledgerClose, close)) return { item: itemBefore(settlement, before), latest: close };
  return { item: itemAfter(settlement, before), latest: ledgerClose };
}

/** Compares ledger numbers. False if the lower number closed later: the network was then reset in between. */
function isBefore(one: LedgerClose | undefined, other: LedgerClose | undefined): boolean {
  return (
    one !== undefined && other !== undefined && one.ledger < other.ledger && one.seconds <= other.seconds
  );
}

function wordingIn({ type, extensions, ...item }: DiscoveryResource): Wording {
  const { serviceName = '', tags = [], description = '' } = item;
  const parameters = parameterText({ type, bazaar: extensions?.bazaar ?? {} });
  return wordingOf({ serviceName, tags, description, parameters });
}
