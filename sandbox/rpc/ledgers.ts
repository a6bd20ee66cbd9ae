/** Writes ledgers as RPC methods answer them. Headers and close meta hold what the sandbox has; the rest is zero. */
import { pack, packList } from '../bytes.ts';
import type { Chain } from '../ledger/chain.ts';
import type { ClosedLedger, History } from '../ledger/history.ts';
import { BASE_FEE_STROOPS, BASE_RESERVE_STROOPS } from '../protocol.ts';
import { invalidParams, pagination, wholeNumber, type Params } from './params.ts';

const NO_HASH = Buffer.alloc(32);
const TOTAL_COINS_STROOPS = 1_000_000_000_000_000_000n;
const MAX_LEDGER_TRANSACTIONS = 100;
const LEDGERS_PAGE = { fallback: 50, most: 200 };

/** Arms of StellarValue's `ext`, and of LedgerUpgrade. The SDK does not know the second. */
const SIGNED = 1;
const SIGNED_MILLISECONDS = 3;
const UPGRADE_VERSION = 1;
/** A key of zeros, and a signature without bytes: nobody signs here. */
const SIGNATURE = pack(0, Buffer.alloc(32), 0);

/** Builds a LedgerHeader. */
function ledgerHeader({ sequence, previousHash, protocol, ...ledger }: ClosedLedger): Buffer {
  const skipList = [NO_HASH, NO_HASH, NO_HASH, NO_HASH];
  return pack(
    ...[protocol, previousHash, stellarValue(ledger), NO_HASH, NO_HASH, sequence, TOTAL_COINS_STROOPS],
    ...[0n, 0, 0n, BASE_FEE_STROOPS, Number(BASE_RESERVE_STROOPS), MAX_LEDGER_TRANSACTIONS],
    ...[...skipList, 0],
  );
}

/** Builds a StellarValue, which validators agree on. */
function stellarValue({
  closedAtMs,
  upgrade,
  tellsMilliseconds,
}: Pick<ClosedLedger, 'closedAtMs' | 'upgrade' | 'tellsMilliseconds'>): Buffer {
  const upgrades = upgrade === undefined ? [] : [pack(8, UPGRADE_VERSION, upgrade)];
  const arm = tellsMilliseconds ? pack(SIGNED_MILLISECONDS, BigInt(closedAtMs)) : pack(SIGNED);
  return pack(NO_HASH, BigInt(closeTime(closedAtMs)), packList(upgrades), arm, SIGNATURE);
}

/** Builds a LedgerHeaderHistoryEntry. */
function headerEntry(ledger: ClosedLedger): Buffer {
  return pack(ledger.hash, ledgerHeader(ledger), 0);
}

/** Builds a LedgerCloseMeta, version 2, with an empty set of transactions. */
function closeMeta(ledger: ClosedLedger): Buffer {
  const transactionSet = pack(1, ledger.previousHash, packList([]));
  const [processing, upgrades, consensus, evicted] = [packList([]), packList([]), packList([]), packList([])];
  return pack(2, 0, headerEntry(ledger), transactionSet, processing, upgrades, consensus, 0n, evicted);
}

export function closeTime(closedAtMs: number): number {
  return Math.floor(closedAtMs / 1000);
}

/** Returns the span of ledgers that the network remembers, with close times in seconds. */
export function ledgerRange({ ledgers, latest }: History): Record<string, number | string> {
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
    protocolVersion: ledger.protocol,
    sequence: ledger.sequence,
    closeTime: String(closeTime(ledger.closedAtMs)),
    headerXdr: ledgerHeader(ledger).toString('base64'),
    metadataXdr: closeMeta(ledger).toString('base64'),
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
      headerXdr: headerEntry(ledger).toString('base64'),
      metadataXdr: closeMeta(ledger).toString('base64'),
    })),
    ...ledgerRange(history),
    cursor: String(found.at(-1)?.sequence ?? start - 1),
  };
}
