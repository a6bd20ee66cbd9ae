/** The exact scheme on Stellar: verify, settle, and what a service needs to set it up. */
export { PASSPHRASES, type Network } from './networks.ts';
export type { SchemeRequest } from './payment.ts';
export { createRpc, type Rpc } from './rpc/pool.ts';
export type { SchemeLog } from './log.ts';
export type { JournaledEnd, JournalEntry, SettlementJournal, UnendedEntry } from './journal.ts';
export { createScheme, type FeeSettings, type Scheme, type SchemeDeps } from './scheme.ts';
export { signerFromSecret, type Signer } from './signer.ts';
