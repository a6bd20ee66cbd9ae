export { openJournal } from './journal.ts';
export type { DueListing, Journal } from './journal.ts';
export { UnusableJournal } from './file.ts';
