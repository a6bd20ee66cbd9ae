import { setTimeout as pause } from 'node:timers/promises';
import { xdr } from '@stellar/stellar-sdk';
import { Pool } from 'undici';
import { aliasStellarHosts } from '../sandbox/aliases.ts';
import { trustCertificate } from '../sandbox/tls.ts';
import { startChild } from './processes.ts';
import type { NetworkAddress } from './servers/sandbox.ts';
import { sum } from './statistics.ts';

export interface Ledger {
  sequence: number;
  closedAtMs: number;
}

export interface AppliedTransaction {
  hash: string;
  ledger: number;
  isSuccess: boolean;
  feeStroops: number;
}

/** The sandbox network in its own process. The stock clients of this process take it for the testnet. */
export interface Network extends AsyncDisposable, NetworkAddress {
  readonly ledgerMs: number;
  /** Makes an account with lumens. */
  fund(address: string): Promise<void>;
  /** Gives an account USDC, in base units. */
  mint(address: string, amount: bigint): Promise<void>;
  /** Lets every answer of the RPC come so much later; the request itself takes effect at once. */
  delayAnswers(ms: number): Promise<void>;
  /** Returns how often the RPC's methods were called since this was last asked. */
  calls(): Promise<Calls>;
  /** The newest first. */
  latestLedgers(limit: number): Promise<Ledger[]>;
  /** Waits until so much of the time between two ledgers has passed: 0 is just after a close. */
  untilPhase(share: number): Promise<void>;
  /** All of this ledger and of later ones. */
  transactionsFrom(ledger: number): Promise<AppliedTransaction[]>;
  /** One call of the RPC, as this process sees it. */
  rpc(method: string, params: object): Promise<Record<string, unknown>>;
}

export interface Calls {
  total: number;
  of(method: string): number;
}

/**
 * A little under 5 s, the pace of the public networks. The stock client and the peer round it up to whole seconds, each
 * for itself: at 5 s, sometimes up to 6, they would disagree and the peer refuse good payments.
 */
export const LEDGER_MS = 4_800;
const TRANSACTIONS_PAGE = 200;

export async function openNetwork(ledgerMs: number): Promise<Network> {
  const child = await startChild<NetworkAddress>('sandbox.ts', { ledgerMs });
  const { started: address } = child;
  trustCertificate(address.certificate);
  const restoreHosts = aliasStellarHosts(address.httpsUrl);
  const pool = new Pool(address.url);

  async function request(method: string, path: string, body?: object): Promise<any> {
    const headers = { 'content-type': 'application/json' };
    const answer = await pool.request({ method, path, headers, body: body ? JSON.stringify(body) : null });
    if (answer.statusCode !== 200) throw new Error(`${method} ${path}: ${await answer.body.text()}`);
    return answer.body.json();
  }

  async function rpc(method: string, params: object): Promise<Record<string, unknown>> {
    const { result, error } = await request('POST', '/', { jsonrpc: '2.0', id: 1, method, params });
    if (error) throw new Error(`${method}: ${JSON.stringify(error)}`);
    return result;
  }

  async function latestLedgers(limit: number): Promise<Ledger[]> {
    const page = await request('GET', `/ledgers?order=desc&limit=${limit}`);
    const records = page._embedded.records as { sequence: number; closed_at: string }[];
    return records.map(({ sequence, closed_at }) => ({ sequence, closedAtMs: Date.parse(closed_at) }));
  }

  const latestLedger = async (): Promise<Ledger> => (await latestLedgers(1))[0]!;

  return {
    ...address,
    ledgerMs,
    rpc,
    latestLedgers,
    fund: (account) => request('GET', `/friendbot?addr=${account}`),
    mint: (account, amount) => request('GET', `/mint?addr=${account}&amount=${amount}`),
    async delayAnswers(ms) {
      await request('DELETE', '/faults');
      if (ms > 0) await request('POST', '/faults', { kind: 'delay', ms });
    },
    async calls() {
      const counts = (await request('GET', '/calls?reset=1')) as Record<string, number>;
      return { total: sum(Object.values(counts)), of: (method) => counts[method] ?? 0 };
    },
    async untilPhase(share) {
      const sinceMs = Date.now() - ((await latestLedger()).closedAtMs + share * ledgerMs);
      await pause(Math.ceil(sinceMs / ledgerMs) * ledgerMs - sinceMs);
    },
    async transactionsFrom(startLedger) {
      const found: AppliedTransaction[] = [];
      let page: object = { startLedger, pagination: { limit: TRANSACTIONS_PAGE } };
      for (;;) {
        const { transactions, cursor } = await rpc('getTransactions', page);
        const records = transactions as TransactionRecord[];
        found.push(...records.map(readTransaction));
        if (records.length < TRANSACTIONS_PAGE) return found;
        page = { pagination: { cursor, limit: TRANSACTIONS_PAGE } };
      }
    },
    async [Symbol.asyncDispose]() {
      restoreHosts();
      await pool.destroy();
      await child[Symbol.asyncDispose]();
    },
  };
}

interface TransactionRecord {
  txHash: string;
  status: string;
  ledger: number;
  resultXdr: string;
}

function readTransaction({ txHash, status, ledger, resultXdr }: TransactionRecord): AppliedTransaction {
  const { feeCharged } = xdr.TransactionResult.fromXdr(resultXdr, 'base64');
  return { hash: txHash, ledger, isSuccess: status === 'SUCCESS', feeStroops: Number(feeCharged) };
}
