/** Ledgers as RPC methods answer them. Headers and close meta hold what the sandbox has; the rest is zero. */
import { xdr } from '@stellar/stellar-sdk';
import type { Chain } from '../ledger/chain.ts';
import type { ClosedLedger, History } from '../ledger/history.ts';
import { BASE_FEE_STROOPS, BASE_RESERVE_STROOPS, PROTOCOL_VERSION } from '../protocol.ts';
import { invalidParams, pagination, wholeNumber } from './params.ts';
import type { Params } from './params.ts';

const NO_HASH = new Uint8Array(32);
const TOTAL_COINS_STROOPS = 1_000_000_000_000_000_000n;
const MAX_LEDGER_TRANSACTIONS = 100;
const LEDGERS_PAGE = { fallback: 50, most: 200 };

function ledgerHeader({ sequence, closedAtMs, previousHash }: ClosedLedger): xdr.LedgerHeader {
  return new xdr.LedgerHeader({
    ledgerVersion: PROTOCOL_VERSION,
    previousLedgerHash: previousHash,
    scpValue: new xdr.StellarValue({
      txSetHash: NO_HASH,
      closeTime: BigInt(closeTime(closedAtMs)),
      upgrades: [],
      ext: xdr.StellarValueExt.stellarValueBasic(),
    }),
    txSetResultHash: NO_HASH,
    bucketListHash: NO_HASH,
    ledgerSeq: sequence,
    totalCoins: TOTAL_COINS_STROOPS,
    feePool: 0n,
    inflationSeq: 0,
    idPool: 0n,
    baseFee: BASE_FEE_STROOPS,
    baseReserve: Number(BASE_RESERVE_STROOPS),
    maxTxSetSize: MAX_LEDGER_TRANSACTIONS,
    skipList: [NO_HASH, NO_HASH, NO_HASH, NO_HASH],
    ext: xdr.LedgerHeaderExt.v0(),
  });
}

function headerEntry(ledger: ClosedLedger): xdr.LedgerHeaderHistoryEntry {
  return new xdr.LedgerHeaderHistoryEntry({
    hash: ledger.hash,
    header: ledgerHeader(ledger),
    ext: xdr.LedgerHeaderHistoryEntryExt.v0(),
  });
}

function closeMeta(ledger: ClosedLedger): xdr.LedgerCloseMeta {
  return xdr.LedgerCloseMeta.v2(
    new xdr.LedgerCloseMetaV2({
      ext: xdr.LedgerCloseMetaExt.v0(),
      ledgerHeader: headerEntry(ledger),
      txSet: xdr.GeneralizedTransactionSet.v1TxSet(
        new xdr.TransactionSetV1({ previousLedgerHash: ledger.previousHash, phases: [] }),
      ),
      txProcessing: [],
      upgradesProcessing: [],
      scpInfo: [],
      totalByteSizeOfLiveSorobanState: 0n,
      evictedKeys: [],
    }),
  );
}

export function closeTime(closedAtMs: number): number {
  return Math.floor(closedAtMs / 1000);
}

/** The span of ledgers that the network remembers, with close times in seconds. */
export function ledgerRange({ ledgers, latest }: History): object {
  const newest = latest();
  const oldest = ledgers[0] ?? newest;
  return {
    latestLedger: newest.sequence,
    latestLedgerCloseTime: String(closeTime(newest.closedAtMs)),
    oldestLedger: oldest.sequence,
    oldestLedgerCloseTime: String(closeTime(oldest.closedAtMs)),
  };
}

export function getLatestLedger({ history }: Chain): object {
  const ledger = history.latest();
  return {
    id: ledger.hash.toString('hex'),
    protocolVersion: PROTOCOL_VERSION,
    sequence: ledger.sequence,
    closeTime: String(closeTime(ledger.closedAtMs)),
    headerXdr: ledgerHeader(ledger).toXdr('base64'),
    metadataXdr: closeMeta(ledger).toXdr('base64'),
  };
}

export function getLedgers({ history }: Chain, params: Params): object {
  const { cursor, limit } = pagination(params, LEDGERS_PAGE);
  const start = cursor ? Number(cursor) + 1 : wholeNumber(params, 'startLedger', 0);
  const oldest = history.ledgers[0]?.sequence ?? 0;
  const { sequence: latest } = history.latest();
  if (!(start >= oldest && start <= latest + (cursor ? 1 : 0))) {
    throw invalidParams(
      `start ledger must be between the oldest ledger: ${oldest} and the latest ledger: ${latest}`,
    );
  }
  const found = history.ledgers.slice(start - oldest, start - oldest + limit);
  return {
    ledgers: found.map((ledger) => ({
      hash: ledger.hash.toString('hex'),
      sequence: ledger.sequence,
      ledgerCloseTime: String(closeTime(ledger.closedAtMs)),
      headerXdr: headerEntry(ledger).toXdr('base64'),
      metadataXdr: closeMeta(ledger).toXdr('base64'),
    })),
    ...ledgerRange(history),
    cursor: String(found.at(-1)?.sequence ?? start - 1),
  };
}
