/** Facts and limits of the network that the sandbox plays: the public test network, protocol 27. */
import { createHash } from 'node:crypto';

export function sha256(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest();
}

export const NETWORK_PASSPHRASE = 'Test SDF Network ; September 2015';
export const NETWORK_ID = sha256(Buffer.from(NETWORK_PASSPHRASE));
export const PROTOCOL_VERSION = 27;

/** Lowest inclusion fee per operation. */
export const BASE_FEE_STROOPS = 100;
/** Stroops that an account keeps per entry; two entries for the account itself. */
export const BASE_RESERVE_STROOPS = 5_000_000n;
/** Balance of an account that `mint` creates: 10,000 XLM, as friendbot gives. */
export const STARTING_BALANCE_STROOPS = 100_000_000_000n;

/** Least and greatest lifetimes of entries of contract data, in ledgers. */
export const MIN_TEMPORARY_TTL_LEDGERS = 17_280;
export const MIN_PERSISTENT_TTL_LEDGERS = 2_073_600;
export const MAX_ENTRY_TTL_LEDGERS = 3_110_400;

/** What one transaction may ask for. */
export const TRANSACTION_LIMITS = {
  instructions: 400_000_000,
  sizeBytes: 132_096,
  footprintEntries: 400,
  writeEntries: 200,
  writeBytes: 132_096,
  diskReadBytes: 200_000,
  diskReadEntries: 200,
  eventsBytes: 16_384,
};

/** How much history the sandbox keeps; older ledgers and transactions are forgotten. */
export const HISTORY_LIMITS = { ledgers: 17_280, transactions: 10_000 };

/** Transactions that may wait for a ledger; more answer TRY_AGAIN_LATER. */
export const MAX_PENDING_TRANSACTIONS = 1_000;

export const MAX_INT64 = 2n ** 63n - 1n;
export const MAX_INT128 = 2n ** 127n - 1n;
