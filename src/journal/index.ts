export type { Answers, CallerKey, KnownAnswer } from './answers/answer.ts';
export type { DueListing, FeesToday, Journal } from './journal.ts';
export type {
  DeadLetter,
  DeadLetterPage,
  Event,
  EventProgress,
  Events,
  EventsState,
  FailingEvent,
} from './events/event.ts';
export { RESOURCE_LIMIT_CHARS } from './limits.ts';
export { openJournal, type SqliteJournal } from './sqliteJournal.ts';
export { prepareJournalFile } from './file.ts';
export { isDatabaseUnavailable } from '../store/databaseErrors.ts';
export { openMovedJournal } from './moving.ts';
export { openSharedJournal } from './postgres/open.ts';
export { csvHeader, csvLine } from './records/csv.ts';
export { openDatabaseRecords, openFileRecords, type OpenRecords } from './records/open.ts';
export type { RecordFilters, RecordPage, RecordStatus, Records, SettlementRecord } from './records/record.ts';
export { pagesOf } from './records/pages.ts';
export { shownRecord } from './records/shown.ts';
export { findSettlement, type StatusDeps } from './records/status.ts';
export type { JournalLog } from './guard.ts';
