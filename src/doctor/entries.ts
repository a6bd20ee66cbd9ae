import { xdr } from '@stellar/stellar-sdk';
import { RpcFault } from '../stellar/rpc/fault.ts';
import type { Rpc } from '../stellar/rpc/pool.ts';

/** Reads entries of the ledger by their keys (base64 XDR); those that do not exist are missing. Throws an RpcFault. */
export async function readEntries(
  rpc: Rpc,
  keys: readonly string[],
): Promise<Map<string, xdr.LedgerEntryData>> {
  const { entries } = await rpc.call('getLedgerEntries', { keys });
  try {
    return new Map(
      (entries ?? []).map((entry) => [entry.key, xdr.LedgerEntryData.fromXdr(entry.xdr, 'base64')]),
    );
  } catch (cause) {
    throw new RpcFault('getLedgerEntries: an entry cannot be read', { cause });
  }
}
