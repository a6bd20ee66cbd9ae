/** Turns a network into plain JSON, and back: its entries, its clock, and its latest ledgers. */
import type { Chain } from './ledger/chain.ts';
import type { ClosedLedger, TransactionRecord } from './ledger/history.ts';
import { storedEntry } from './ledger/state.ts';
import type { NetworkName } from './networks.ts';

/** Latest ledgers that are saved with their transactions: clients measure the pace from them, and look back. */
const SAVED_LEDGERS = 100;
const FORMAT = 'stellar-sandbox-1';

/** Faults, and transactions that wait for a ledger, are not saved. */
export interface SavedNetwork {
  format: typeof FORMAT;
  network: NetworkName;
  /** Oldest first. The clock goes on from the close time of the latest. Hashes are hex. */
  ledgers: [SavedLedger, ...SavedLedger[]];
  transactions: TransactionRecord[];
  /** The keys and bytes are base64. */
  entries: [key: string, bytes: string, liveUntilLedger: number | null][];
  deployments: Deployments;
}

type SavedLedger = Omit<ClosedLedger, 'hash' | 'previousHash'> & { hash: string; previousHash: string };

/** The contracts that were deployed without a transaction. */
export interface Deployments {
  count: number;
  /** The contract account (C…) of each ed25519 key (hex). */
  accounts: Record<string, string>;
}

export function savedNetwork({ network, history, state }: Chain, deployments: Deployments): SavedNetwork {
  const ledgers = history.ledgers.slice(-SAVED_LEDGERS).map(savedLedger) as SavedNetwork['ledgers'];
  return {
    format: FORMAT,
    network: network.name,
    ledgers,
    transactions: [...history.transactions()].filter(({ ledger }) => ledger >= ledgers[0].sequence),
    entries: [...state].map(([key, { bytes, liveUntilLedger }]) => [
      key,
      bytes.toString('base64'),
      liveUntilLedger,
    ]),
    deployments,
  };
}

function savedLedger({ hash, previousHash, ...rest }: ClosedLedger): SavedLedger {
  return { ...rest, hash: hash.toString('hex'), previousHash: previousHash.toString('hex') };
}

/** Reads what was saved. Throws if the text is something else. */
export function parseSaved(text: string): SavedNetwork {
  const saved = JSON.parse(text) as Partial<SavedNetwork> | null;
  if (saved?.format !== FORMAT) throw new Error(`its format is not ${FORMAT}`);
  return saved as SavedNetwork;
}

export function savedLedgers({
  ledgers: [first, ...others],
}: SavedNetwork): [ClosedLedger, ...ClosedLedger[]] {
  return [closedLedger(first), ...others.map(closedLedger)];
}

function closedLedger({ hash, previousHash, ...rest }: SavedLedger): ClosedLedger {
  return { ...rest, hash: Buffer.from(hash, 'hex'), previousHash: Buffer.from(previousHash, 'hex') };
}

/** Gives a new chain the entries and transactions that were saved. */
export function restore({ state, history }: Chain, { entries, transactions }: SavedNetwork): void {
  for (const [key, base64, liveUntilLedger] of entries) {
    const bytes = Buffer.from(base64, 'base64');
    state.set(key, storedEntry(bytes, bytes.readUInt32BE(), liveUntilLedger));
  }
  for (const record of transactions) history.addTransaction(record);
}
