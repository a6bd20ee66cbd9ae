/** The exact scheme on Stellar: verify, settle, and what a service and its tools need to set them up. */
export { SETTLE_LIMITS } from './limits.ts';
export type { SchemeObserver } from './observer.ts';
export type { AskedFor, PaymentFacts, PaymentPolicy } from './policy.ts';
export type { Refusal, SchemeCode } from './refusal.ts';
export type { SchemeRequest, SettleRequest } from './payment.ts';
export { databaseUnavailable, refusalOf, stillInFlight, type SettledFacts } from './settle/answer.ts';
export type {
  BudgetOwner,
  Failed,
  FeeBudget,
  JournalEntry,
  Opened,
  SettlementJournal,
  SettlementKey,
  SpentPayment,
  UnendedEntry,
} from './settle/settlementJournal.ts';
export type { FeeBalances } from './settle/feeAccounts.ts';
export { exhaustedIn, hasLimit, UNLIMITED_BUDGET } from './settle/settlementJournal.ts';
export { outcomeIn } from './settle/lookFor.ts';
export { STATUS, ledgerCloseOf, type Outcome } from './settle/outcome.ts';
export {
  createScheme,
  type FeeSettings,
  type PaidTerms,
  type Scheme,
  type SchemeDeps,
  type SettleResult,
} from './scheme.ts';
export {
  ACCOUNT_STATES,
  type AccountState,
  type ChannelAccountState,
  type FeeBumpState,
  type SchemeState,
} from './state.ts';
export type { LeaseEvents, Sharing } from './settle/sharing.ts';
export { submit } from './settle/submission.ts';
export { createWatcher, type Watcher } from './settle/watcher.ts';
export type { Signer } from './settle/signer.ts';
export { invocationIn } from './verify/checks/transaction.ts';
export { within } from './within.ts';
