import { createHash } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { decide, describedAs, saysOther, wordingIn, type Decided, type Known } from '../decide.ts';
import type { ListingKey } from '../listing.ts';
import { coveringKeys } from '../keeper/target.ts';
import type { SellerDescription } from '../sellers.ts';
import type { Current, LogListing, Proposal, Settlement } from '../store.ts';
import {
  columnsOf,
  createListingSelect,
  knownOf,
  toolKey,
  wordsText,
  type ListingRow,
} from './listingRow.ts';
import type { EarlierWording } from './listingWriter.ts';

/** See `Store.propose`. */
export function createPropose(db: DatabaseSync) {
  const select = createListingSelect(db);

  return (settlement: Settlement, current: Current): Proposal | 'owned by another' => {
    const { declaration, requirements, settledAt } = settlement;
    const row = current === 'none' ? undefined : (current ?? select(declaration));
    const known = row && knownOf(row);
    const decided = decide(settlement, known);
    if (decided === 'owned by another') return decided;
    return proposalOf({
      key: declaration,
      owner: requirements.payTo,
      row,
      known,
      decided,
      writtenAt: settledAt,
    });
  };
}

/** See `Store.proposeDescription`. */
export function createProposeDescription(db: DatabaseSync) {
  const select = createListingSelect(db);

  return ({ listing: key, owner, metadata }: SellerDescription, current: Current): Proposal | 'unknown' => {
    const row = current === 'none' ? undefined : (current ?? select(key));
    if (row === undefined || row.owner !== owner) return 'unknown';
    const known = knownOf(row);
    const decided = describedAs(known, metadata);
    return decided === undefined
      ? 'unknown'
      : proposalOf({ key, owner, row, known, decided, writtenAt: new Date() });
  };
}

interface Decision {
  key: ListingKey;
  owner: string;
  row: ListingRow | LogListing | undefined;
  known: Known | undefined;
  decided: Decided;
  writtenAt: Date;
}

function proposalOf({ key, owner, row, known, decided, writtenAt }: Decision): Proposal {
  const { item, close } = decided;
  const [ledger = null, closedAt = null] = columnsOf(close);
  const before = row && known && ('words' in row ? row : earlierOf(known));
  const isReworded = before !== undefined && saysOther(known?.item, item);
  return {
    key: keyHash(key),
    knownPosition: row?.position ?? 0,
    owner,
    item: JSON.stringify(item),
    ledger,
    closedAt,
    earlier: isReworded ? { words: before.words, length: before.length } : undefined,
    covering: coveringKeys({ resource: key.resource, owner }),
    settledAtSeconds: Math.floor(writtenAt.getTime() / 1000),
  };
}

function earlierOf({ item }: Pick<Known, 'item'>): EarlierWording | undefined {
  if (item === undefined) return undefined;
  const wording = wordingIn(item);
  return { words: wordsText(wording), length: wording.length };
}

/** Hashes what identifies a listing. Characters that SQLite would take for each other give the same hash. */
export function keyHash({ resource, type, toolName }: ListingKey): string {
  const text = JSON.stringify([resource, type, toolKey(toolName).toWellFormed()]);
  return createHash('sha256').update(text).digest('hex');
}
