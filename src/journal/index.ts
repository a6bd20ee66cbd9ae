export type { DueListing, Journal } from './journal.ts';
export { openJournal, type SqliteJournal } from './sqliteJournal.ts';
export { openSharedJournal } from './postgres/open.ts';
