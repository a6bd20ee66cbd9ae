import { createHash } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { decide, saysOther, wordingIn, type Known } from '../decide.ts';
import type { ListingKey } from '../listing.ts';
import { coveringKeys } from '../keeper/target.ts';
import type { Current, Proposal, Settlement } from '../store.ts';
import { columnsOf, createListingSelect, knownOf, toolKey, wordsText } from './listingRow.ts';
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
    const { item, close } = decided;
    const [ledger = null, closedAt = null] = columnsOf(close);
    const before = row && known && ('words' in row ? row : earlierOf(known));
    const isReworded = before !== undefined && saysOther(known?.item, item);
    return {
      key: keyHash(declaration),
      knownPosition: row?.position ?? 0,
      owner: requirements.payTo,
      item: JSON.stringify(item),
      ledger,
      closedAt,
      earlier: isReworded ? { words: before.words, length: before.length } : undefined,
      covering: coveringKeys({ resource: declaration.resource, owner: requirements.payTo }),
      settledAtSeconds: Math.floor(settledAt.getTime() / 1000),
    };
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
