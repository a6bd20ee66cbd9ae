import { xdr } from '@stellar/stellar-sdk';
import { meaningOf } from '../../stellar/hostError.ts';
import { refuse, type Refusal } from './refusal.ts';
import { inQuotes, RpcUnavailable, type Rpc } from './rpc.ts';
import type { Resources } from './transfer.ts';

/** The result of a transaction that the network simulated and did not apply. */
export interface Simulation {
  latestLedger: number;
  /** The entries that were given, or those that the call needs; undefined for an entry that this wallet cannot read. */
  auth: readonly (xdr.SorobanAuthorizationEntry | undefined)[];
  resources: Resources;
  /** The value that the call returned, as base64 XDR; undefined if the answer does not say. */
  value: string | undefined;
}

/**
 * Simulates a transaction: `record` returns the authorizations that it needs, `enforce` checks those that it has
 * against the ledger. A refusal says why it fails. Throws an RpcUnavailable.
 */
export async function simulate(
  rpc: Rpc,
  transaction: string,
  authMode: 'record' | 'enforce',
): Promise<Simulation | Refusal> {
  const answer = await rpc.call('simulateTransaction', { transaction, authMode });
  const { error, latestLedger, minResourceFee, transactionData, results, restorePreamble } = answer;
  if (error !== undefined) return refuse('network', reasonOf(typeof error === 'string' ? error : 'it fails'));
  if (restorePreamble !== undefined)
    return refuse('network', 'an entry that it needs is archived, and must be restored first');
  const { auth = [], xdr: value } = (Array.isArray(results) ? (results[0] ?? {}) : {}) as {
    auth?: unknown;
    xdr?: unknown;
  };
  try {
    return {
      latestLedger: ledgerIn(latestLedger),
      auth: (auth as string[]).map(entryIn),
      resources: {
        data: textIn(transactionData),
        feeStroops: BigInt(minResourceFee as string),
      },
      value: typeof value === 'string' ? value : undefined,
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

/** Returns undefined for an entry that this SDK does not know: a newer protocol may have such entries. */
function entryIn(base64: string): xdr.SorobanAuthorizationEntry | undefined {
  try {
    return xdr.SorobanAuthorizationEntry.fromXdr(base64, 'base64');
  } catch {
    return undefined;
  }
}

/** Returns what the error means, or else the error itself, without the long log of events after it. */
function reasonOf(error: string): string {
  return meaningOf(error) ?? `the simulation fails with ${inQuotes(error.split('\n')[0])}`;
}
