import type { BazaarOutcome } from '../contract/index.ts';
import type { SettledFacts } from '../scheme/index.ts';
import type { Guard } from './guard.ts';
import { writeEntry, writeHeld, type HeldEntries, type SettledListing } from './heldEntries.ts';
import type { DueListing } from './journal.ts';
import type { EntryTable } from './table.ts';

export interface DueListingsDeps {
  table: EntryTable;
  held: HeldEntries;
  /** True if memory holds an outcome until the file has it, although its listing was written. */
  holdsOutcomes: boolean;
  guarded: Guard;
  /** Returns unix milliseconds. */
  now: () => number;
}

/** Keeps the settled payments whose listings are still to be written. */
export function createDueListings({ table, held, holdsOutcomes, guarded, now }: DueListingsDeps) {
  return {
    listed(hash: string, status: BazaarOutcome['status']): void {
      held.list(hash, status);
      const entry = held.ended(hash);
      const isWritten = guarded('a listing was not recorded as written', false, () => {
        if (entry !== undefined) writeEntry(entry, table);
        else table.dropListing(hash, status, now());
        return true;
      });
      if (isWritten || !holdsOutcomes) held.drop(hash);
    },
    unlisted(): string[] {
      writeHeld(held, table);
      const inFile = guarded('due listings could not be read', [], () => table.unlisted());
      return [...inFile, ...held.allDue().map(({ hash }) => hash)];
    },
    dueListing(hash: string): DueListing | undefined {
      const due = held.due(hash);
      if (due !== undefined)
        return {
          listing: due.listing,
          payer: due.payer,
          settledAt: new Date(due.end.endedAtMs),
          ...factsOf(due),
        };
      const stored = guarded('a due listing could not be read', undefined, () => table.find(hash));
      if (!stored?.isSettled || stored.listing === undefined) return undefined;
      const { listing, payer, settledAt, ledgerClose, isStellarAsset } = stored;
      return { listing, payer, settledAt, ledgerClose, isStellarAsset };
    },
  };
}

const factsOf = ({ end, isStellarAsset }: SettledListing): SettledFacts => ({
  ledgerClose: end.ledgerClose,
  isStellarAsset,
});
