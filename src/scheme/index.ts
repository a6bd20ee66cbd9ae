/** The exact scheme on Stellar: verify, settle, and what a service and its tools need to set it up. */
export { readAccounts, type AccountState } from './accountEntries.ts';
export { createLedgerClock, sightLedgers, type LedgerClock, type LedgerClose } from './ledgerClock.ts';
export { RPC_LIMITS, SETTLE_LIMITS } from './limits.ts';
export type { PaymentPolicy } from './checks/policy.ts';
export { PASSPHRASES, type Network } from './networks.ts';
export type { SchemeRequest } from './payment.ts';
export { heardBy } from './rpc/heard.ts';
export { createRpc, type Rpc } from './rpc/pool.ts';
export type { SchemeLog } from './log.ts';
export type { JournaledEnd, JournalEntry, SettlementJournal, UnendedEntry } from './journal.ts';
export { createScheme, type FeeSettings, type Scheme, type SchemeDeps } from './scheme.ts';
export { submit } from './submission.ts';
export { createWatcher, type Watcher } from './watcher.ts';
export { RpcFault } from './rpc/node.ts';
export { signerFromSecret, type Signer } from './signer.ts';
