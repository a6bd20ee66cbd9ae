import { xdr } from '@stellar/stellar-sdk';
import { decodeTransaction } from '../../../sandbox/ledger/transaction.ts';
import { PUBLIC_NETWORKS } from '../../../sandbox/networks.ts';
import { NETWORK_NAME } from '../../support/playedNetwork.ts';
import type { Network } from '../../../sandbox/network.ts';

const NETWORK_ID = PUBLIC_NETWORKS[NETWORK_NAME].id;

/**
 * In what a node can differ from the network behind it, all of them ways in which honest nodes do:
 *
 * | kind        | what happens                                                                                     |
 * | ----------- | ------------------------------------------------------------------------------------------------ |
 * | deniesOnce  | the first look at each transaction finds nothing: an answer put together across a ledger's close |
 * | lags        | results and ledgers are those of some ledgers ago, simulations too where some were made then; of |
 * |             | all answers, or of every other one, as where two nodes share an address                          |
 * | oldSequence | accounts have the sequence number before their last one, so many times                           |
 * | queues      | submissions are taken, and wait so many milliseconds before a ledger can have them               |
 */
export type Departure =
  | { kind: 'deniesOnce' }
  | { kind: 'lags'; ledgers: number; isShared: boolean }
  | { kind: 'oldSequence'; times: number }
  | { kind: 'queues'; ms: number };

/** The network as one node shows it. */
export interface View {
  readonly network: Network;
  depart(departure: Departure): void;
  /** It shows the network as it is. */
  heal(): void;
  isTrue(): boolean;
  /** A ledger is about to close: the network has what has waited long enough. */
  deliver(): void;
}

/** Earlier simulations that succeeded, of all nodes: what one that lags still answers. */
export type Simulations = Map<string, { ledger: number; result: Result }>;

interface ViewDeps {
  simulations: Simulations;
  /** The hashes of all that any node has taken. */
  taken: Set<string>;
  now: () => number;
}

type Result = Record<string, unknown>;
type Params = Record<string, unknown>;

export function createView(network: Network, { simulations, taken, now }: ViewDeps): View {
  /** For good: whoever is told twice in a row that there is nothing must be able to believe it. */
  const denied = new Set<unknown>();
  let queue: { transaction: string; dueMs: number }[] = [];
  let [denies, lag, oldSequences, queueMs] = [false, NO_LAG, 0, 0];
  let answers = 0;
  /** Of the answer that is being made, in ledgers. */
  let lagLedgers = 0;

  const rangeNow = () => {
    const latest = network.ledgers(lagLedgers + 1).at(-1)!;
    const closedAt = String(Math.floor(latest.closedAtMs / 1000));
    return { latestLedger: latest.sequence, latestLedgerCloseTime: closedAt };
  };

  function getTransaction(result: Result): Result {
    const { txHash, status, ledger, oldestLedger, oldestLedgerCloseTime } = result;
    const range = { oldestLedger, oldestLedgerCloseTime, ...rangeNow() };
    const isDenied = denies && status !== 'NOT_FOUND' && !denied.has(txHash);
    if (isDenied) denied.add(txHash);
    const isKnown = status !== 'NOT_FOUND' && Number(ledger) <= range.latestLedger && !isDenied;
    return isKnown ? { ...result, ...range } : { ...range, status: 'NOT_FOUND', txHash };
  }

  function simulateTransaction(result: Result, { transaction }: Params): Result {
    const earlier = simulations.get(String(transaction));
    const isLagging = lagLedgers > 0 && earlier && earlier.ledger >= network.latestLedger - lagLedgers;
    if (isLagging) return earlier.result;
    if (result['error'] === undefined)
      simulations.set(String(transaction), { ledger: network.latestLedger, result });
    return result;
  }

  function noteTaken(result: Result): Result {
    if (result['status'] === 'PENDING') taken.add(String(result['hash']));
    return { ...result, ...rangeNow() };
  }

  function getLedgerEntries(result: Result): Result {
    if (oldSequences === 0) return result;
    oldSequences -= 1;
    return withOldSequences(result);
  }

  const getFeeStats = (result: Result): Result => ({ ...result, latestLedger: rangeNow().latestLedger });

  /** What is said of a submission, where that is not what the network says of it. */
  function submitted(transaction: string): Result | undefined {
    const { hash } = decodeTransaction(transaction, NETWORK_ID);
    // A node soon forgets what it has passed on: it says no more than that the sequence number is used.
    if (resultOf(network, 'getTransaction', { hash })?.['status'] !== 'NOT_FOUND')
      return { status: 'ERROR', errorResultXdr: BAD_SEQUENCE, hash, ...rangeNow() };
    if (queueMs === 0) return undefined;
    const isQueued = queue.some((one) => one.transaction === transaction);
    if (!isQueued) queue.push({ transaction, dueMs: now() + queueMs });
    return { status: isQueued ? 'DUPLICATE' : 'PENDING', hash, ...rangeNow() };
  }

  const shown: Network = Object.assign(Object.create(network) as Network, {
    rpc(method: string, params: unknown) {
      lagLedgers = lag.isShared && answers++ % 2 === 0 ? 0 : lag.ledgers;
      const { transaction } = (params ?? {}) as { transaction?: string };
      const said = method === 'sendTransaction' ? submitted(String(transaction)) : undefined;
      const answer = said ? { result: said } : network.rpc(method, params);
      if (!('result' in answer)) return answer;
      const change = {
        sendTransaction: noteTaken,
        getTransaction,
        simulateTransaction,
        getLedgerEntries,
        getFeeStats,
      }[method];
      return { result: change?.(answer.result as Result, params as Params) ?? answer.result };
    },
  } satisfies Pick<Network, 'rpc'>);

  return {
    network: shown,
    depart(departure) {
      if (departure.kind === 'deniesOnce') denies = true;
      if (departure.kind === 'lags') lag = departure;
      if (departure.kind === 'oldSequence') oldSequences = departure.times;
      if (departure.kind === 'queues') queueMs = departure.ms;
    },
    heal: () => void ([denies, lag, oldSequences, queueMs] = [false, NO_LAG, 0, 0]),
    isTrue: () => !denies && lag === NO_LAG && oldSequences === 0 && queueMs === 0,
    deliver() {
      const due = queue.filter(({ dueMs }) => dueMs <= now());
      queue = queue.filter((one) => !due.includes(one));
      for (const { transaction } of due) network.rpc('sendTransaction', { transaction });
    },
  };
}

const NO_LAG = { ledgers: 0, isShared: false };

const BAD_SEQUENCE = new xdr.TransactionResult({
  feeCharged: 0n,
  result: xdr.TransactionResultResult.txBadSeq(),
  ext: xdr.TransactionResultExt.v0(),
}).toXdr('base64');

function resultOf(network: Network, method: string, params: object): Result | undefined {
  const answer = network.rpc(method, params);
  return 'result' in answer ? (answer.result as Result) : undefined;
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
