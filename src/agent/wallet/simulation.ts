import { xdr } from '@stellar/stellar-sdk';
import { inQuotes, RpcUnavailable } from './rpc.ts';
import type { Rpc } from './rpc.ts';
import type { Resources } from './transfer.ts';

/** What the network says of a transaction that it did not apply. */
export interface Simulation {
  latestLedger: number;
  /** The entries that were given, or those that the call needs; undefined for one that this wallet cannot read. */
  auth: readonly (xdr.SorobanAuthorizationEntry | undefined)[];
  resources: Resources;
}

/**
 * Simulates a transaction: `record` tells which authorizations it needs, `enforce` holds those that it has to the
 * ledger. A text says why it fails. Throws an RpcUnavailable.
 */
export async function simulate(
  rpc: Rpc,
  transaction: string,
  authMode: 'record' | 'enforce',
): Promise<Simulation | string> {
  const answer = await rpc.call('simulateTransaction', { transaction, authMode });
  const { error, latestLedger, minResourceFee, transactionData, results, restorePreamble } = answer;
  if (error !== undefined) return firstLine(typeof error === 'string' ? error : 'it fails');
  if (restorePreamble !== undefined) return 'an entry that it needs is archived, and must be restored first';
  const { auth = [] } = (Array.isArray(results) ? (results[0] ?? {}) : {}) as { auth?: unknown };
  try {
    return {
      latestLedger: ledgerIn(latestLedger),
      auth: (auth as string[]).map(entryIn),
      resources: {
        data: textIn(transactionData),
        feeStroops: BigInt(minResourceFee as string),
      },
    };
  } catch (cause) {
    throw new RpcUnavailable('simulateTransaction: the answer makes no sense', { cause });
  }
}

function ledgerIn(value: unknown): number {
  if (!Number.isSafeInteger(value)) throw new Error('no ledger');
  return value as number;
}

function textIn(value: unknown): string {
  if (typeof value !== 'string') throw new Error('no text');
  return value;
}

/** A newer protocol may have what this SDK does not know. */
function entryIn(base64: string): xdr.SorobanAuthorizationEntry | undefined {
  try {
    return xdr.SorobanAuthorizationEntry.fromXdr(base64, 'base64');
  } catch {
    return undefined;
  }
}

/** The error itself; the log of events behind it is long. */
function firstLine(error: string): string {
  return `the simulation fails with ${inQuotes(error.split('\n')[0])}`;
}
