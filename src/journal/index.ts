export { openJournal } from './journal.ts';
export type { DueListing } from './dueListings.ts';
export type { Journal } from './journal.ts';
