import type { SettledFacts } from '../scheme/index.ts';
import type { Guard } from './guard.ts';
import type { DueListing } from './journal.ts';
import type { HeldListings, SettledListing } from './heldListings.ts';
import type { EntryTable } from './table.ts';

export interface DueListingsDeps {
  table: EntryTable;
  held: HeldListings;
  guarded: Guard;
}

/** Keeps the settled payments whose listings are still to be written. */
export function createDueListings({ table, held, guarded }: DueListingsDeps) {
  return {
    listed(hash: string): void {
      const due = held.due(hash);
      held.drop(hash);
      guarded('a listing was not recorded as written', undefined, () => {
        if (due !== undefined) table.end(due.end.row);
        table.dropListing(hash);
      });
    },
    unlisted(): string[] {
      writeHeld(held, table);
      const inFile = guarded('due listings could not be read', [], () => table.unlisted());
      return [...inFile, ...held.allDue().map(({ hash }) => hash)];
    },
    dueListing(hash: string): DueListing | undefined {
      const due = held.due(hash);
      if (due !== undefined)
        return { listing: due.listing, settledAt: new Date(due.end.endedAtMs), ...factsOf(due) };
      const stored = guarded('a due listing could not be read', undefined, () => table.find(hash));
      if (!stored?.isSettled || stored.listing === undefined) return undefined;
      const { listing, settledAt, ledgerClose, isStellarAsset } = stored;
      return { listing, settledAt, ledgerClose, isStellarAsset };
    },
  };
}

/** Writes the due listings that memory holds to the file, as soon as the file takes them. */
export function writeHeld(held: HeldListings, table: EntryTable): void {
  for (const { hash, row, end } of held.allDue()) {
    try {
      if (row !== undefined) table.insert(row);
      table.end(end.row);
    } catch {
      return;
    }
    held.drop(hash);
  }
}

const factsOf = ({ end, isStellarAsset }: SettledListing): SettledFacts => ({
  ledgerClose: end.ledgerClose,
  isStellarAsset,
});
