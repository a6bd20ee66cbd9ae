import type { SQLInputValue } from 'node:sqlite';
import {
  STATUS,
  type JournalEntry,
  type Outcome,
  type SettledFacts,
  type UnendedEntry,
} from '../scheme/index.ts';
import type { LedgerClose } from '../stellar/ledgerClock.ts';
import { FACT_LIMIT_CHARS, LISTING_LIMIT_BYTES } from './limits.ts';

// Turns entries and outcomes into rows of the file, and rows back into entries.

export type Row = Record<string, unknown>;

/** The parts of an entry that a listing needs. */
export interface StoredEntry extends SettledFacts {
  readonly isSettled: boolean;
  readonly listing: string | undefined;
  readonly settledAt: Date;
}

/** Opens an entry. Its parameters come from `rowOf`. */
export const INSERT = `INSERT INTO entry (
    hash, opened_at, payer, authorization, submitter, sequence, inclusion_bid_stroops, total_bid_stroops,
    max_time_seconds, last_ledger, sent_in_ledger, party, is_stellar_asset,
    listing)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (hash) DO UPDATE SET
    opened_at = excluded.opened_at, listing = excluded.listing, ended_at = NULL, status = NULL, reason = NULL`;

/** Records the outcome. Keeps only the facts of a payment that did not settle. Its parameters come from `endRowOf`. */
export const UPDATE = `UPDATE entry SET ended_at = ?, status = ?, reason = ?, ledger = ?, closed_at = ?,
    fee_charged_stroops = ?, listing = iif(?2 = 'success', listing, NULL)
  WHERE hash = ?`;

/** Returns the part of an entry's listing that is kept: all of it, or nothing if it is too long. */
export function keptListing({ listing }: JournalEntry): string | undefined {
  if (listing === undefined || Buffer.byteLength(listing) > LISTING_LIMIT_BYTES) return undefined;
  return listing;
}

export function rowOf(entry: JournalEntry, listing: string | undefined, openedAtMs: number): SQLInputValue[] {
  const { hash, payer, party, authorization, submitter, sequence, bid, sent, isStellarAsset } = entry;
  return [
    hash,
    openedAtMs,
    ...[payer, authorization, submitter, String(sequence)].map(fact),
    bid.inclusionStroops,
    bid.totalStroops,
    sent.validity.maxTimeSeconds,
    sent.validity.lastLedger,
    sent.sentInLedger,
    fact(party),
    isStellarAsset ? 1 : 0,
    listing ?? null,
  ];
}

export function endRowOf(hash: string, outcome: Outcome, endedAtMs: number): SQLInputValue[] {
  return [endedAtMs, ...outcomeFacts(outcome), hash];
}

/** Returns status, reason, ledger, close time and fee, as both stores keep them. */
export function outcomeFacts(outcome: Outcome): (string | number | null)[] {
  const status = STATUS[outcome.state];
  if (outcome.state !== 'applied' && outcome.state !== 'failed') {
    const reason = outcome.state === 'rejected' ? fact(outcome.reason) : null;
    return [status, reason, null, null, null];
  }
  const { result, ledger, closedAtSeconds, feeChargedStroops } = outcome;
  return [status, fact(result), ledger ?? null, closedAtSeconds ?? null, feeChargedStroops ?? null];
}

export const fact = (text: string): string => text.slice(0, FACT_LIMIT_CHARS);

/** Reads an open entry. */
export function entryOf(row: Row, ageMs: number): UnendedEntry {
  const number = (name: string): number => Number(row[name]);
  const text = (name: string): string => String(row[name]);
  return {
    hash: text('hash'),
    payer: text('payer'),
    party: String(row['party'] ?? row['payer']),
    authorization: text('authorization'),
    submitter: text('submitter'),
    sequence: BigInt(text('sequence')),
    bid: { inclusionStroops: number('inclusion_bid_stroops'), totalStroops: number('total_bid_stroops') },
    sent: {
      validity: { maxTimeSeconds: number('max_time_seconds'), lastLedger: number('last_ledger') },
      sentInLedger: number('sent_in_ledger'),
    },
    ageMs,
  };
}

/** Returns an entry as it stands in the file. */
export function storedOf(row: Row): StoredEntry {
  const { status, listing, ended_at: endedAtMs } = row;
  return {
    isSettled: status === 'success',
    listing: typeof listing === 'string' ? listing : undefined,
    settledAt: new Date(Number(endedAtMs)),
    ledgerClose: closeOf(row['ledger'], row['closed_at']),
    isStellarAsset: row['is_stellar_asset'] === 1,
  };
}

function closeOf(ledger: unknown, seconds: unknown): LedgerClose | undefined {
  return typeof ledger === 'number' && typeof seconds === 'number' ? { ledger, seconds } : undefined;
}
