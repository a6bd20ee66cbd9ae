import { StrKey, xdr } from '@stellar/stellar-sdk';
import { MAX_KEYS_PER_READ } from './limits.ts';
import { RpcFault } from './rpc/fault.ts';
import type { Rpc } from './rpc/pool.ts';

/** An account's state on the ledger. */
export interface AccountState {
  balanceStroops: bigint;
  /** The sequence number that it used last. */
  sequence: bigint;
  /** Base64 XDR of LedgerEntryData. Nothing else of it is read here, so a newer protocol may add to it. */
  entry: string;
}

/** The last sequence number that a transaction can still follow. */
const MAX_SEQUENCE = 2n ** 63n - 2n;
/** An account's entry begins with the bytes of its key. */
const KEY_BYTES = 40;
const BALANCE_AT = KEY_BYTES;
const SEQUENCE_AT = BALANCE_AT + 8;

/**
 * Reads accounts from the ledger, by address; those that do not exist are missing. Makes one RPC call for each 200.
 * Throws if the RPC fails, or answers with something other than the accounts that were asked for.
 */
export async function readAccounts(
  rpc: Rpc,
  addresses: readonly string[],
): Promise<Map<string, AccountState>> {
  const accounts = new Map<string, AccountState>();
  for (let start = 0; start < addresses.length; start += MAX_KEYS_PER_READ) {
    const addressByKey = new Map(
      addresses.slice(start, start + MAX_KEYS_PER_READ).map((address) => [accountKey(address), address]),
    );
    const { entries } = await rpc.call('getLedgerEntries', { keys: [...addressByKey.keys()] });
    for (const entry of entries ?? []) {
      const address = addressByKey.get(entry.key);
      if (address !== undefined) accounts.set(address, accountIn(entry.xdr, entry.key));
    }
  }
  return accounts;
}

/** Returns base64 XDR of the key of an account (G…). */
export function accountKey(address: string): string {
  const accountId = xdr.PublicKey.publicKeyTypeEd25519(StrKey.decodeEd25519PublicKey(address));
  return xdr.LedgerKey.account(new xdr.LedgerKeyAccount({ accountId })).toXdr('base64');
}

function accountIn(entry: string, key: string): AccountState {
  const bytes = Buffer.from(String(entry), 'base64');
  const isAccount = bytes.subarray(0, KEY_BYTES).equals(Buffer.from(key, 'base64'));
  const sequence = isAccount && bytes.length >= SEQUENCE_AT + 8 ? bytes.readBigInt64BE(SEQUENCE_AT) : -1n;
  if (sequence < 0n || sequence > MAX_SEQUENCE)
    throw new RpcFault('getLedgerEntries: the answer is not the account that was asked for');
  return { balanceStroops: bytes.readBigInt64BE(BALANCE_AT), sequence, entry };
}
