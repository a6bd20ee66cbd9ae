/** Reads what the ledger, the journal and the catalog know. */
import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { xdr } from '@stellar/stellar-sdk';
import type { Network } from '../../sandbox/network.ts';
import type { DiscoveryListResponse, DiscoveryResource } from '../../src/contract/index.ts';
import { scAddressText } from '../../src/stellar/addresses.ts';
import { accountOf, invocationIn } from '../support/serviceSettlements.ts';
import type { JournalRow, LedgerTransaction } from './world.ts';

const PAGE = 100;

/** All transactions that ledgers took since the last call, and before. */
export function createLedgerReader(network: Network): () => readonly LedgerTransaction[] {
  const read: LedgerTransaction[] = [];
  let cursor = '';
  return () => {
    for (;;) {
      const params = { startLedger: 0, pagination: { limit: PAGE, ...(cursor && { cursor }) } };
      const answer = network.rpc('getTransactions', params) as { result: TransactionsPage };
      const { transactions, cursor: next } = answer.result;
      if (transactions.length === 0) return read;
      cursor = next;
      read.push(...transactions.map(readTransaction));
    }
  };
}

interface TransactionsPage {
  cursor: string;
  transactions: {
    txHash: string;
    status: 'SUCCESS' | 'FAILED';
    ledger: number;
    createdAt: string;
    envelopeXdr: string;
    resultXdr: string;
  }[];
}

function readTransaction(found: TransactionsPage['transactions'][number]): LedgerTransaction {
  const { txHash: hash, status, ledger, createdAt, envelopeXdr, resultXdr } = found;
  const envelope = xdr.TransactionEnvelope.fromXdr(envelopeXdr, 'base64');
  const isBumped = envelope.type === 'envelopeTypeTxFeeBump';
  if (!isBumped && envelope.type !== 'envelopeTypeTx') throw new Error('a transaction of the old form');
  const { tx } = isBumped ? envelope.feeBump.tx.innerTx.v1 : envelope.v1;
  const credentials = invocationIn(tx).auth[0]?.credentials;
  if (credentials?.type !== 'sorobanCredentialsAddress') throw new Error('no payment of these sellers');
  const { address, nonce } = credentials.address;
  return {
    hash,
    status: status === 'SUCCESS' ? 'success' : 'failed',
    ledger,
    closedAtSeconds: Number(createdAt),
    authorization: `${scAddressText(address)}:${nonce}`,
    submitter: accountOf(tx.sourceAccount),
    feeChargedStroops: Number(xdr.TransactionResult.fromXdr(resultXdr, 'base64').feeCharged),
  };
}

/** The journal's rows, oldest first; none where there is no journal yet. Leaves the file as it is. */
export function readJournal(path: string): JournalRow[] {
  if (!existsSync(path)) return [];
  const db = new DatabaseSync(path, { readOnly: true });
  try {
    const tables = db.prepare("SELECT count(*) AS n FROM sqlite_schema WHERE name = 'entry'").get()!;
    if (tables['n'] === 0) return [];
    const rows = db.prepare(
      `SELECT hash, authorization, submitter, status, ledger, fee_charged_stroops AS feeChargedStroops,
         total_bid_stroops AS bidStroops, listing IS NOT NULL AND status = 'success' AS isListingDue
       FROM entry ORDER BY id`,
    );
    return rows.all().map((row) => ({ ...row, isListingDue: row['isListingDue'] === 1 }) as JournalRow);
  } finally {
    db.close();
  }
}

/** Everything that the service lists, page by page. */
export async function readListings(url: string): Promise<DiscoveryResource[]> {
  const listings: DiscoveryResource[] = [];
  for (;;) {
    const response = await fetch(`${url}/discovery/resources?limit=${PAGE}&offset=${listings.length}`);
    const { items } = (await response.json()) as DiscoveryListResponse;
    if (items.length === 0) return listings;
    listings.push(...items);
  }
}
