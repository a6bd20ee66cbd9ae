export { openJournal } from './journal.ts';
export type { DueListing, Journal } from './journal.ts';
