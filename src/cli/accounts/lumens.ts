import { xdr } from '@stellar/stellar-sdk';
import type { AccountState } from '../../stellar/accounts.ts';
import { ACCOUNT_RESERVES, BASE_RESERVE_STROOPS } from '../../stellar/limits.ts';
import { units } from '../../stellar/units.ts';

export const STROOPS_PER_LUMEN = 10_000_000n;
const DECIMALS = 7;

/** Returns the stroops of an amount such as 5 or 2.5; undefined if the text is not an amount. */
export function stroopsOf(text: string): bigint | undefined {
  const [, whole, fraction = ''] = /^(\d{1,11})(?:\.(\d{1,7}))?$/.exec(text) ?? [];
  return whole === undefined ? undefined : BigInt(whole + fraction.padEnd(DECIMALS, '0'));
}

/** Writes an amount for people: 5 XLM, 2.5 XLM. */
export const xlm = (stroops: bigint): string => `${units(stroops)} XLM`;

/** Returns the balance without the reserve and without what its own offers owe. Throws if the entry is unreadable. */
export function spendableStroops({ entry }: Pick<AccountState, 'entry'>): bigint {
  const account = accountEntryIn(entry);
  const v1 = account.ext.type === 'v1' ? account.ext.v1 : undefined;
  const v2 = v1?.ext.type === 'v2' ? v1.ext.v2 : undefined;
  const reserves =
    ACCOUNT_RESERVES + account.numSubEntries + (v2?.numSponsoring ?? 0) - (v2?.numSponsored ?? 0);
  const kept = BigInt(reserves) * BASE_RESERVE_STROOPS + (v1?.liabilities.selling ?? 0n);
  return account.balance > kept ? account.balance - kept : 0n;
}

function accountEntryIn(entry: string): xdr.AccountEntry {
  try {
    const data = xdr.LedgerEntryData.fromXdr(entry, 'base64');
    if (data.type === 'account') return data.account;
  } catch {
    // Handled below.
  }
  throw new Error(
    'the network runs a newer protocol than this version of the service can read an account of: update the service',
  );
}
