export type { DueListing, Journal } from './journal.ts';
export { openJournal, type SqliteJournal } from './sqliteJournal.ts';
export { openMovedJournal } from './moving.ts';
export { openSharedJournal } from './postgres/open.ts';
