import type { SQLInputValue } from 'node:sqlite';
import { boundedText } from '../contract/index.ts';
import {
  refusalOf,
  STATUS,
  type JournalEntry,
  type Outcome,
  type SettledFacts,
  type SpentPayment,
  type UnendedEntry,
} from '../scheme/index.ts';
import type { LedgerClose } from '../stellar/ledgerClock.ts';
import { timeOf } from './records/record.ts';
import {
  FACT_LIMIT_CHARS,
  LISTING_LIMIT_BYTES,
  MESSAGE_LIMIT_CHARS,
  RESOURCE_LIMIT_CHARS,
} from './limits.ts';

// Turns entries and outcomes into rows of the file, and rows back into entries.

export type Row = Record<string, unknown>;

/** The parts of an entry that a listing needs. */
export interface StoredEntry extends SettledFacts {
  readonly isSettled: boolean;
  readonly listing: string | undefined;
  readonly payer: string;
  readonly settledAt: Date;
}

/**
 * Opens an entry. Its parameters come from `rowOf`. One that is opened again, for the same bytes, keeps the time of its
 * first opening, and so its place among the records: whoever pages through them meets it once.
 */
export const INSERT = `INSERT INTO entry (
    hash, opened_at, payer, authorization, submitter, sequence, inclusion_bid_stroops, total_bid_stroops,
    max_time_seconds, last_ledger, sent_in_ledger, party, is_stellar_asset, caller, counted_stroops,
    listing, pay_to, amount, asset, resource, request_id, asked_at, verified_at, key_hash,
    payment_identifier)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?8, ?, ?, ?, ?, ?, ?, ?8, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (hash) DO UPDATE SET
    listing = excluded.listing, ended_at = NULL, status = NULL, reason = NULL,
    code = NULL, message = NULL, caller = excluded.caller, counted_stroops = excluded.counted_stroops,
    request_id = excluded.request_id, key_hash = excluded.key_hash,
    payment_identifier = excluded.payment_identifier`;

/**
 * Records the outcome. Keeps only the facts of a payment that did not settle. What was charged counts for its budget; the
 * bid does if that is not known. Its parameters come from `endRowOf`.
 */
export const UPDATE = `UPDATE entry SET ended_at = ?, status = ?, reason = ?, ledger = ?, closed_at = ?,
    fee_charged_stroops = ?, code = ?, message = ?, listing = iif(?2 = 'success', listing, NULL),
    counted_stroops = iif(?2 IN ('rejected', 'never'), 0, coalesce(?6, total_bid_stroops))
  WHERE hash = ?`;

/** Returns the entry that settled a payment. Its parameters come from `spentFacts`. */
export const SETTLED_BY = `SELECT hash FROM entry
  WHERE authorization = ? AND status = 'success' AND pay_to = ? AND amount = ? AND asset = ?`;

/** Finds another payment to a recipient, with the same identifier, that has paid or may have. */
export const OTHER_NAMED = `SELECT 1 FROM entry
  WHERE pay_to = ? AND payment_identifier = ? AND authorization <> ?
    AND (status IS NULL OR status IN ('success', 'forgotten')) LIMIT 1`;

/** Returns the part of an entry's listing that is kept: all of it, or nothing if it is too long. */
export function keptListing({ listing }: JournalEntry): string | undefined {
  if (listing === undefined || Buffer.byteLength(listing) > LISTING_LIMIT_BYTES) return undefined;
  return listing;
}

export function rowOf(entry: JournalEntry, listing: string | undefined, openedAtMs: number): SQLInputValue[] {
  const { hash, payer, party, authorization, submitter, sequence, bid, budget, sent, isStellarAsset } = entry;
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
    budget.caller,
    listing ?? null,
    ...[entry.payTo, String(entry.amount), entry.asset].map(fact),
    entry.resource === undefined ? null : kept(entry.resource, RESOURCE_LIMIT_CHARS),
    entry.requestId === undefined ? null : fact(entry.requestId),
    Math.round(openedAtMs - entry.askedAgoMs),
    Math.round(openedAtMs - entry.verifiedAgoMs),
    entry.key?.keyHash ?? null,
    entry.paymentIdentifier ?? null,
  ];
}

export function endRowOf(hash: string, outcome: Outcome, endedAtMs: number): SQLInputValue[] {
  return [endedAtMs, ...outcomeFacts(hash, outcome), hash];
}

/** Returns status, reason, ledger, close time, fee, code and message, as both stores keep them. */
export function outcomeFacts(hash: string, outcome: Outcome): (string | number | null)[] {
  return [STATUS[outcome.state], ...ledgerFacts(outcome), ...refusalFacts(hash, outcome)];
}

function ledgerFacts(outcome: Outcome): (string | number | null)[] {
  if (outcome.state !== 'applied' && outcome.state !== 'failed') {
    const reason = outcome.state === 'rejected' ? fact(outcome.reason) : null;
    return [reason, null, null, null];
  }
  const { result, ledger, closedAtSeconds, feeChargedStroops } = outcome;
  return [fact(result), ledger ?? null, closedAtSeconds ?? null, feeChargedStroops ?? null];
}

function refusalFacts(hash: string, outcome: Outcome): (string | null)[] {
  if (outcome.state === 'applied') return [null, null];
  const { code, message } = refusalOf(hash, outcome);
  return [code, kept(message ?? '', MESSAGE_LIMIT_CHARS)];
}

/** Returns the facts by which both stores find the entry of a settled payment. */
export const spentFacts = ({ authorization, payTo, amount, asset }: SpentPayment): string[] =>
  [authorization, payTo, String(amount), asset].map(fact);

/** Returns what is kept of a text. PostgreSQL takes none with a NUL, or with half of a surrogate pair in JSON. */
export const kept = (text: string, limitChars: number): string =>
  boundedText(text, limitChars).replaceAll('\0', '\ufffd');

export const fact = (text: string): string => kept(text, FACT_LIMIT_CHARS);

/** Reads an open entry. */
export function entryOf(row: Row, ageMs: number): UnendedEntry {
  const number = (name: string): number => Number(row[name]);
  const text = (name: string): string => String(row[name]);
  const known = (name: string): string | undefined => (row[name] as string | null) ?? undefined;
  const askedAt = timeOf(row['asked_at']);
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
    amount: known('amount'),
    asset: known('asset'),
    payTo: known('pay_to'),
    resource: known('resource'),
    caller: known('caller'),
    requestId: known('request_id'),
    ageMs,
    askedAgoMs: askedAt && ageMs + Number(timeOf(row['opened_at'])) - askedAt.getTime(),
  };
}

/** Returns an entry as it stands in the file. */
export function storedOf(row: Row): StoredEntry {
  const { status, listing, ended_at: endedAtMs } = row;
  return {
    isSettled: status === 'success',
    listing: typeof listing === 'string' ? listing : undefined,
    payer: String(row['payer']),
    settledAt: new Date(Number(endedAtMs)),
    ledgerClose: closeOf(row['ledger'], row['closed_at']),
    isStellarAsset: row['is_stellar_asset'] === 1,
  };
}

function closeOf(ledger: unknown, seconds: unknown): LedgerClose | undefined {
  return typeof ledger === 'number' && typeof seconds === 'number' ? { ledger, seconds } : undefined;
}
