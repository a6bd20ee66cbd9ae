import { xdr } from '@stellar/stellar-sdk';
import { createFaults } from '../../../sandbox/faults.ts';
import type { Fault, Faults } from '../../../sandbox/faults.ts';
import { createJsonRpc } from '../../../sandbox/jsonRpc.ts';
import type { Network } from '../../../sandbox/network.ts';
import type { HttpReply } from '../../../sandbox/reply.ts';

type Own = Exclude<Fault, { kind: 'rewrite' | 'notFound' | 'ledgersStop' }>;

/**
 * What can happen to a node: the sandbox's faults, and some of a node behind others. `notFound` is not among them: a
 * node that denies again and again what its ledgers hold cannot be told from one that is right.
 *
 * | kind        | what happens                                                                                       |
 * | ----------- | -------------------------------------------------------------------------------------------------- |
 * | deniesOnce  | the first look at each transaction finds nothing: an answer put together across a ledger's close   |
 * | lags        | results and ledgers are those of some ledgers ago                                                  |
 * | oldSequence | accounts have the sequence number before their last one                                            |
 * | arrivesLate | submissions take effect so many milliseconds late                                                  |
 */
export type Trouble =
  | Own
  | { kind: 'deniesOnce' }
  | { kind: 'lags'; ledgers: number }
  | { kind: 'oldSequence'; times: number }
  | { kind: 'arrivesLate'; ms: number };

/** One RPC node of the network. */
export interface Node {
  readonly url: string;
  add(trouble: Trouble): void;
  heal(): void;
  isHealthy(): boolean;
  /** How long a request takes to reach it beyond the usual, in milliseconds. */
  delayMs(method: string): number;
  respond(body: string): Promise<HttpReply>;
}

const MAX_TROUBLES = 20;

export function createNode(url: string, network: Network): Node {
  const faults: Faults = createFaults(network);
  const jsonRpc = createJsonRpc(network, faults);
  /** For good: whoever is told twice in a row that there is nothing must be able to believe it. */
  const denied = new Set<unknown>();
  let lateMs = 0;
  return {
    url,
    add(trouble) {
      if (faults.list().length >= MAX_TROUBLES) return;
      if (trouble.kind === 'arrivesLate') lateMs = trouble.ms;
      else faults.add(faultOf(trouble, network, denied));
    },
    heal() {
      faults.clear();
      lateMs = 0;
    },
    isHealthy: () => lateMs === 0 && faults.list().length === 0,
    delayMs: (method) => (method === 'sendTransaction' ? lateMs : 0),
    respond: (body) => jsonRpc.respond(body, url),
  };
}

function faultOf(
  trouble: Exclude<Trouble, { kind: 'arrivesLate' }>,
  network: Network,
  denied: Set<unknown>,
): Fault {
  switch (trouble.kind) {
    case 'deniesOnce':
      return rewriting('getTransaction', (result) => {
        const { txHash, status } = result;
        if (status === 'NOT_FOUND' || denied.has(txHash)) return result;
        denied.add(txHash);
        return { ...rangeIn(result), status: 'NOT_FOUND', txHash };
      });
    case 'lags':
      return rewriting('getTransaction', (result) => {
        const latest = network.ledgers(trouble.ledgers + 1).at(-1)!;
        const { txHash, status, ledger } = result;
        const range = {
          ...rangeIn(result),
          latestLedger: latest.sequence,
          latestLedgerCloseTime: String(Math.floor(latest.closedAtMs / 1000)),
        };
        const isKnown = status !== 'NOT_FOUND' && Number(ledger) <= latest.sequence;
        return isKnown ? { ...result, ...range } : { ...range, status: 'NOT_FOUND', txHash };
      });
    case 'oldSequence':
      return { ...rewriting('getLedgerEntries', withOldSequences), times: trouble.times };
    default:
      return { ...trouble };
  }
}

type Result = Record<string, unknown>;

function rewriting(method: string, rewrite: (result: Result) => Result): Fault {
  return { kind: 'rewrite', methods: [method], rewrite: (_method, result) => rewrite(result) };
}

function rangeIn(result: Result): Result {
  const { latestLedger, latestLedgerCloseTime, oldestLedger, oldestLedgerCloseTime } = result;
  return { latestLedger, latestLedgerCloseTime, oldestLedger, oldestLedgerCloseTime };
}

function withOldSequences(result: Result): Result {
  const entries = (result['entries'] as { xdr: string }[]).map((entry) => {
    const data = xdr.LedgerEntryData.fromXdr(entry.xdr, 'base64');
    if (data.type !== 'account') return entry;
    const account = new xdr.AccountEntry({ ...data.account, seqNum: data.account.seqNum - 1n });
    return { ...entry, xdr: xdr.LedgerEntryData.account(account).toXdr('base64') };
  });
  return { ...result, entries };
}
