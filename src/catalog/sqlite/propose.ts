import { createHash } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { decide, describedAs, saysOther, wordingIn, type Decided, type Known } from '../decide.ts';
import type { ListingKey } from '../listing.ts';
import { coveringKeys } from '../keeper/target.ts';
import type { LogListing, Proposal, Store } from '../store.ts';
import { createCountedPayer } from './countedPayer.ts';
import {
  columnsOf,
  createListingSelect,
  knownOf,
  SELECT_LISTING,
  toolKey,
  wordsText,
  type ListingRow,
} from './listingRow.ts';
import type { EarlierWording } from './listingWriter.ts';
import { keyOf } from './logListing.ts';
import { withProof } from './proofs.ts';

/** See the functions of `Store` with these names. */
export function createPropose(
  db: DatabaseSync,
): Pick<Store, 'propose' | 'proposeDescription' | 'proposeProof'> {
  const select = createListingSelect(db);
  const countedPayer = createCountedPayer(db);
  const selectById = db.prepare(`${SELECT_LISTING} WHERE id = ?`);

  return {
    propose(settlement, current) {
      const { declaration: key, requirements, settledAt } = settlement;
      const row = current === 'none' ? undefined : (current ?? select(key));
      const decided = decide({ ...settlement, payer: countedPayer(settlement) }, row && knownOf(row));
      if (decided === 'owned by another') return decided;
      return proposalOf(row, { key, owner: requirements.payTo, ...decided, settledAt });
    },
    proposeDescription(description, current) {
      const { listing: key, owner } = description;
      const row = current === 'none' ? undefined : (current ?? select(key));
      if (row === undefined || row.owner !== owner) return 'unknown';
      const decided = describedAs(knownOf(row), description);
      return decided === undefined
        ? 'unknown'
        : proposalOf(row, { key, owner, ...decided, settledAt: new Date() });
    },
    proposeProof({ id, owner, verified }, current) {
      const row = current === 'none' ? undefined : (current ?? (selectById.get(id) as unknown as ListingRow));
      const known = row?.owner === owner ? knownOf(row) : undefined;
      if (known?.item === undefined) return 'gone';
      const { item, close, payers } = known;
      const after = { item: withProof(item, verified), close, payers, settledAt: new Date() };
      return proposalOf(row, { key: keyOf(item), owner, ...after });
    },
  };
}

interface Proposed extends Decided {
  readonly key: ListingKey;
  readonly owner: string;
  /** Counts for a new listing. */
  readonly settledAt: Date;
}

/** Returns what makes this of a listing, or of none. */
export function proposalOf(row: ListingRow | LogListing | undefined, proposed: Proposed): Proposal {
  const { key, owner, item, close, payers, settledAt } = proposed;
  const [ledger = null, closedAt = null] = columnsOf(close);
  const known = row && knownOf(row);
  const before = row && known && ('words' in row ? row : earlierOf(known));
  const isReworded = before !== undefined && saysOther(known?.item, item);
  return {
    key: keyHash(key),
    knownPosition: row?.position ?? 0,
    owner,
    item: JSON.stringify(item),
    ledger,
    closedAt,
    payers,
    earlier: isReworded ? { words: before.words, length: before.length } : undefined,
    covering: coveringKeys({ resource: key.resource, owner }),
    settledAtSeconds: Math.floor(settledAt.getTime() / 1000),
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
