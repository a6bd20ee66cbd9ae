/** The exact scheme on Stellar: verify, settle, and what a service and its tools need to set it up. */
export { SETTLE_LIMITS } from './limits.ts';
export type { PaymentPolicy } from './checks/policy.ts';
export type { SchemeRequest } from './payment.ts';
export type { JournaledEnd, JournalEntry, SettlementJournal, UnendedEntry } from './journal.ts';
export { createScheme, type FeeSettings, type Scheme, type SchemeDeps } from './scheme.ts';
export { submit } from './submission.ts';
export { createWatcher, type Watcher } from './watcher.ts';
export type { Signer } from './signer.ts';
