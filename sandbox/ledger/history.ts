/** Keeps what the network remembers: the newest closed ledgers and applied transactions. */
import { StrKey } from '@stellar/stellar-sdk';
import { HISTORY_LIMITS } from '../protocol.ts';
import type { At, ContractEvent } from '../host/host.ts';
import type { AppliedTransaction } from './apply.ts';

export interface ClosedLedger {
  sequence: number;
  closedAtMs: number;
  hash: Buffer;
  previousHash: Buffer;
  /** The protocol in its header, which the next ledger runs under. */
  protocol: number;
  /** True when its value holds the close time in milliseconds (CAP-88). */
  tellsMilliseconds: boolean;
  /** The protocol that it upgraded to. */
  upgrade: number | undefined;
}

export interface EventRecord {
  contractId: string;
  topics: string[];
  value: string;
}

/** An applied transaction, encoded once as RPC methods answer it. */
export interface TransactionRecord {
  hash: string;
  innerHash: string;
  ok: boolean;
  ledger: number;
  closedAtSeconds: number;
  /** Place in its ledger, from 1. */
  order: number;
  feeBump: boolean;
  isContractCall: boolean;
  /** The inclusion fee that it paid, in stroops per operation. */
  inclusionFee: number;
  envelopeXdr: string;
  resultXdr: string;
  resultMetaXdr: string;
  diagnosticEventsXdr: string[];
  transactionEventsXdr: string[];
  contractEventsXdr: string[];
  events: EventRecord[];
}

export interface History {
  /** Oldest first; never empty. */
  readonly ledgers: readonly ClosedLedger[];
  latest(): ClosedLedger;
  addLedger(ledger: ClosedLedger): void;
  addTransaction(record: TransactionRecord): void;
  forgetTransactions(): void;
  /** Finds a transaction by its own hash, or by the hash of the transaction in a fee bump. */
  find(hash: string): TransactionRecord | undefined;
  /** Oldest first. */
  transactions(): Iterable<TransactionRecord>;
}

/** `ledgers` are the first ones, oldest first. */
export function createHistory(ledgers: [ClosedLedger, ...ClosedLedger[]]): History {
  const byHash = new Map<string, TransactionRecord>();
  const byInnerHash = new Map<string, TransactionRecord>();
  return {
    ledgers,
    latest: () => ledgers.at(-1) ?? ledgers[0],
    addLedger(ledger) {
      ledgers.push(ledger);
      if (ledgers.length > HISTORY_LIMITS.ledgers) ledgers.shift();
    },
    addTransaction(record) {
      byHash.set(record.hash, record);
      byInnerHash.set(record.innerHash, record);
      if (byHash.size <= HISTORY_LIMITS.transactions) return;
      for (const oldest of byHash.values()) {
        byHash.delete(oldest.hash);
        byInnerHash.delete(oldest.innerHash);
        break;
      }
    },
    forgetTransactions() {
      byHash.clear();
      byInnerHash.clear();
    },
    find: (hash) => byHash.get(hash) ?? byInnerHash.get(hash),
    transactions: () => byHash.values(),
  };
}

export function transactionRecord(applied: AppliedTransaction, ledger: At, order: number): TransactionRecord {
  const { transaction } = applied;
  const base64 = (bytes: Buffer) => bytes.toString('base64');
  return {
    hash: transaction.hash,
    innerHash: transaction.innerHash.toString('hex'),
    ok: applied.ok,
    ledger: ledger.sequence,
    closedAtSeconds: ledger.seconds,
    order,
    feeBump: transaction.feeBump !== undefined,
    isContractCall: transaction.invocation !== undefined,
    inclusionFee: applied.inclusionFee,
    envelopeXdr: base64(transaction.envelope),
    resultXdr: applied.result.toXdr('base64'),
    resultMetaXdr: base64(applied.meta),
    diagnosticEventsXdr: applied.diagnosticEvents.map(base64),
    transactionEventsXdr: applied.transactionEvents.map(base64),
    contractEventsXdr: applied.contractEvents.map(({ event }) => base64(event)),
    events: applied.contractEvents.map(eventRecord),
  };
}

function eventRecord({ contractId, topics, data }: ContractEvent): EventRecord {
  return {
    contractId: contractId ? StrKey.encodeContract(contractId) : '',
    topics: topics.map((topic) => topic.toString('base64')),
    value: data.toString('base64'),
  };
}
