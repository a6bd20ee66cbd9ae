/**
 * What resources cost (CAP-46-07), at the rates that the public test network charges. The non-refundable part
 * pays for what a transaction declares; the refundable part for its events and for the rent of entries.
 */
import type { EntryChange, Footprint } from '../host/storage.ts';
import { isClassic, isTemporary } from './keys.ts';

/** Stroops per unit; "1kb" is 1,024 bytes. */
const RATES = {
  instructions10k: 7,
  diskReadEntry: 1_563,
  diskRead1kb: 447,
  writeEntry: 2_500,
  write1kb: 875,
  historical1kb: 4_059,
  events1kb: 2_500,
  transactionSize1kb: 406,
  rent1kb: 1_000,
};
/** Rent is for this many ledgers per rate. */
const RENT_LEDGERS = { persistent: 1_215, temporary: 2_430 };
const KILOBYTE = 1_024;
/** Bytes of a transaction's result, kept in history. */
const RESULT_BYTES = 300;
/** Bytes of the entry that holds an entry's lifetime. */
const TTL_ENTRY_BYTES = 48;

export interface Resources {
  instructions: number;
  diskReadBytes: number;
  writeBytes: number;
  footprint: Footprint;
  transactionBytes: number;
}

function per(unit: number, amount: number, rate: number): number {
  return Math.ceil((amount * rate) / unit);
}

/** Stroops for declared resources, kept whether or not the transaction succeeds. */
export function nonRefundableFee(resources: Resources): number {
  const { readOnly, readWrite } = resources.footprint;
  const diskReads = [...readOnly, ...readWrite].filter((key) => isClassic(key.xdr)).length;
  return (
    per(10_000, resources.instructions, RATES.instructions10k) +
    diskReads * RATES.diskReadEntry +
    readWrite.length * RATES.writeEntry +
    per(KILOBYTE, resources.diskReadBytes, RATES.diskRead1kb) +
    per(KILOBYTE, resources.writeBytes, RATES.write1kb) +
    per(KILOBYTE, resources.transactionBytes + RESULT_BYTES, RATES.historical1kb) +
    per(KILOBYTE, resources.transactionBytes, RATES.transactionSize1kb)
  );
}

/** Stroops for a call's contract events and return value. */
export function eventsFee(bytes: number): number {
  return per(KILOBYTE, bytes, RATES.events1kb);
}

/** Stroops for the lives of new entries, for longer lives and for growth. */
export function rentFee(changes: readonly EntryChange[], ledger: number): number {
  let fee = 0;
  let extended = 0;
  for (const { key, before, after } of changes) {
    if (!after || after.liveUntilLedger === null) continue;
    const paidUntil = before?.liveUntilLedger ?? ledger - 1;
    const newLedgers = Math.max(0, after.liveUntilLedger - paidUntil);
    const growth = before ? Math.max(0, after.bytes.length - before.bytes.length) : 0;
    const rentPerLedger = (bytes: number, ledgers: number) =>
      Math.ceil(
        (bytes * RATES.rent1kb * ledgers) /
          (KILOBYTE * (isTemporary(key.xdr) ? RENT_LEDGERS.temporary : RENT_LEDGERS.persistent)),
      );
    fee += rentPerLedger(after.bytes.length, newLedgers) + rentPerLedger(growth, paidUntil - ledger + 1);
    if (newLedgers > 0) extended++;
  }
  return fee + extended * RATES.writeEntry + per(KILOBYTE, extended * TTL_ENTRY_BYTES, RATES.write1kb);
}
