import { xdr } from '@stellar/stellar-sdk';
import type { Network } from '../../sandbox/network.ts';
import { readTransaction, type Transaction } from './transaction.ts';

/** A settlement's transaction that a ledger took. */
export interface LedgerTransaction extends Transaction {
  readonly status: 'success' | 'failed';
  readonly ledger: number;
  readonly closedAtSeconds: number;
  readonly feeChargedStroops: number;
}

const PAGE = 200;

/**
 * Returns a function whose first call returns all that ledgers ever took, and each further call what they took since.
 */
export function createLedgerReader(network: Network): () => LedgerTransaction[] {
  let cursor = '';
  return () => {
    const read: LedgerTransaction[] = [];
    for (;;) {
      const params = { startLedger: 0, pagination: { limit: PAGE, ...(cursor && { cursor }) } };
      const { result } = network.rpc('getTransactions', params) as { result: Page };
      cursor = result.cursor;
      read.push(...result.transactions.map(transactionOf));
      if (result.transactions.length < PAGE) return read;
    }
  };
}

interface Page {
  cursor: string;
  transactions: {
    status: 'SUCCESS' | 'FAILED';
    ledger: number;
    createdAt: string;
    envelopeXdr: string;
    resultXdr: string;
  }[];
}

function transactionOf(found: Page['transactions'][number]): LedgerTransaction {
  const { status, ledger, createdAt, envelopeXdr, resultXdr } = found;
  return {
    ...readTransaction(envelopeXdr),
    status: status === 'SUCCESS' ? 'success' : 'failed',
    ledger,
    closedAtSeconds: Number(createdAt),
    feeChargedStroops: Number(xdr.TransactionResult.fromXdr(resultXdr, 'base64').feeCharged),
  };
}
