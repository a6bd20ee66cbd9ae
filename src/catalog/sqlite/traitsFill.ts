import type { DatabaseSync } from 'node:sqlite';
import { transaction } from '../../store/sqliteFile.ts';
import { traitsOf } from '../traits.ts';
import { readItem } from './listingRow.ts';
import { createTraitsWriter } from './traitsWriter.ts';

/** Gives their traits to the listings of a file that an older version wrote. */
export interface TraitsFill {
  isUnderWay(): boolean;
  /** Goes on with at most `listings` listings, in one transaction. */
  step(listings: number): void;
}

export function createTraitsFill(db: DatabaseSync): TraitsFill {
  const select = db.prepare('SELECT filled, last FROM traits_fill');
  const update = db.prepare('UPDATE traits_fill SET filled = ?');
  const selectItems = db.prepare('SELECT id, item FROM listing WHERE id > ? AND id <= ?');
  const traits = createTraitsWriter(db);
  const read = () => select.get() as { filled: number; last: number };

  return {
    isUnderWay() {
      const { filled, last } = read();
      return filled < last;
    },
    step(listings) {
      try {
        transaction(db, 'BEGIN IMMEDIATE', () => {
          const { filled, last } = read();
          const to = Math.min(last, filled + listings);
          for (const row of selectItems.iterate(filled, to)) {
            const { id, item: text } = row as { id: number; item: string };
            const item = readItem(text);
            if (item !== undefined) traits.set(id, undefined, traitsOf(item));
          }
          traits.flush();
          update.run(to);
        });
      } catch (error) {
        traits.discard();
        throw error;
      }
    },
  };
}
