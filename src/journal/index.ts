export { openJournal } from './journal.ts';
export type { Journal, ListingRequest } from './journal.ts';
export { UnusableJournal } from './file.ts';
