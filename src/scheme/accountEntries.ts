import { StrKey, xdr } from '@stellar/stellar-sdk';
import { MAX_KEYS_PER_READ } from './limits.ts';
import { RpcFault } from './rpc/node.ts';
import type { Rpc } from './rpc/pool.ts';

/** The last sequence number that a transaction can still follow. */
const MAX_SEQUENCE = 2n ** 63n - 2n;

/**
 * Accounts as the ledger has them, by address; those that do not exist are missing. One RPC call for each 200.
 * Throws where the RPC fails, or answers with something else than the accounts that were asked for.
 */
export async function readAccounts(
  rpc: Rpc,
  addresses: readonly string[],
): Promise<Map<string, xdr.AccountEntry>> {
  const accounts = new Map<string, xdr.AccountEntry>();
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

function accountKey(address: string): string {
  return keyOfAccount(xdr.PublicKey.publicKeyTypeEd25519(StrKey.decodeEd25519PublicKey(address)));
}

function keyOfAccount(accountId: xdr.PublicKey): string {
  return xdr.LedgerKey.account(new xdr.LedgerKeyAccount({ accountId })).toXdr('base64');
}

function accountIn(entryXdr: string, key: string): xdr.AccountEntry {
  const data = xdr.LedgerEntryData.fromXdr(entryXdr, 'base64');
  const isAccount = data.type === 'account' && keyOfAccount(data.account.accountId) === key;
  if (!isAccount || data.account.seqNum < 0n || data.account.seqNum > MAX_SEQUENCE) {
    throw new RpcFault('getLedgerEntries: the answer is not the account that was asked for');
  }
  return data.account;
}
