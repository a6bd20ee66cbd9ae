/** Facts and limits that all of the public networks share. */
import { createHash } from 'node:crypto';

export function sha256(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest();
}

/** Lowest inclusion fee per operation. */
export const BASE_FEE_STROOPS = 100;
/** Stroops that an account keeps per entry; two entries for the account itself. */
export const BASE_RESERVE_STROOPS = 5_000_000n;
/** Balance of an account that `mint` creates: 10,000 XLM, as friendbot gives. */
export const STARTING_BALANCE_STROOPS = 100_000_000_000n;

/** Greatest lifetime of contract storage, in ledgers. */
export const MAX_ENTRY_TTL_LEDGERS = 3_110_400;

/** The limits of one transaction. */
export const TRANSACTION_LIMITS = {
  instructions: 400_000_000,
  memoryBytes: 41_943_040,
  sizeBytes: 132_096,
  footprintEntries: 400,
  writeEntries: 200,
  writeBytes: 132_096,
  diskReadBytes: 200_000,
  diskReadEntries: 200,
  eventsBytes: 16_384,
};

/** The history that the sandbox keeps. It forgets older ledgers and transactions. */
export const HISTORY_LIMITS = { ledgers: 17_280, transactions: 10_000 };

/** Transactions that may wait for a ledger. Further ones get TRY_AGAIN_LATER. */
export const MAX_PENDING_TRANSACTIONS = 1_000;

export const MAX_UINT32 = 2 ** 32 - 1;
export const MAX_INT64 = 2n ** 63n - 1n;
