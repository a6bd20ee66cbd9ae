export { listingTextOf, openJournal } from './journal.ts';
export type { DueListing, Journal, ListingRequest } from './journal.ts';
export { UnusableJournal } from './file.ts';
