import { hash } from 'node:crypto';
import type { SQLInputValue } from 'node:sqlite';
import { openJournalFile } from '../../src/journal/file.ts';
import { createRandom, type Random } from '../../test/catalog/random.ts';
import { say } from '../progress.ts';

/** Says what a filled journal holds. */
export interface Filled {
  settlements: number;
  /** Unix milliseconds, between which the settlements were sent, one after the other. */
  fromMs: number;
  toMs: number;
}

const SEED = 1;
const DAYS = 90;
const DAY_MS = 86_400_000;
const LEDGER_MS = 5_000;
const FIRST_LEDGER = 1_000_000;
/** So many of the newest are without an outcome, and stay so for a day. */
const PENDING = 20;
const REPORT_EVERY = 100_000;

const PAYERS = 50_000;
const RECIPIENTS = 5_000;
const CALLERS = 50;
const SUBMITTERS = 20;
const ASSETS = 10;
const RESOURCES = 20_000;
/** The first payer has this share of all settlements, and so have the first recipient, caller and asset. */
const FIRST_SHARE = 0.2;

const REFUSED_PERCENT = 4;
export const REFUSALS = [
  { status: 'failed', stored: 'failed', code: 'settle_exact_stellar_transaction_failed' },
  { status: 'rejected', stored: 'rejected', code: 'settle_exact_stellar_transaction_submission_failed' },
  { status: 'expired', stored: 'never', code: 'settle_exact_stellar_transaction_timed_out' },
  { status: 'forgotten', stored: 'forgotten', code: 'svc_settlement_outcome_unknown' },
] as const;

const digest = (kind: string, number: number, length: number): string =>
  hash('sha256', `${kind} ${number}`).slice(0, length);

/** In the form of an address, but without its checksum. */
const addresses = (letter: 'C' | 'G', kind: string): ((number: number) => string) =>
  remembered((number) => {
    const letters = digest(kind, number, 55).replaceAll(/./g, (digit) =>
      String.fromCharCode(65 + parseInt(digit, 16)),
    );
    return `${letter}${letters}`;
  });

function remembered(make: (number: number) => string): (number: number) => string {
  const made = new Map<number, string>();
  return (number) => made.get(number) ?? made.set(number, make(number)).get(number)!;
}

/** Gives the names in the filled journal by their numbers, from 0. */
export const names = {
  payer: addresses('G', 'payer'),
  payTo: addresses('G', 'recipient'),
  asset: addresses('C', 'asset'),
  submitter: addresses('G', 'submitter'),
  caller: remembered((number) => (number === 0 ? 'anonymous' : `key:${digest('key', number, 12)}`)),
  hash: (number: number): string => digest('settlement', number, 64),
};

/** Makes the file of a journal and fills it, up to now. */
export function fillJournal(path: string, settlements: number): Filled {
  const toMs = Date.now();
  const filled = { settlements, fromMs: toMs - DAYS * DAY_MS, toMs };
  const db = openJournalFile(path);
  // Nobody else reads the file yet, and a fill that is cut off is thrown away.
  db.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -500000; BEGIN');
  const columns = Object.keys(rowOf(0, filled, createRandom(SEED)));
  const values = columns.map((column) => `:${column}`).join();
  const insert = db.prepare(`INSERT INTO entry (${columns.join()}) VALUES (${values})`);
  const random = createRandom(SEED);
  for (let nth = 0; nth < settlements; nth += 1) {
    if (nth % REPORT_EVERY === 0) say(`operator: ${nth} of ${settlements} settlements made`);
    insert.run(rowOf(nth, filled, random));
  }
  db.exec('COMMIT');
  db.close();
  return filled;
}

type Row = Record<string, SQLInputValue>;

function rowOf(nth: number, filled: Filled, random: Random): Row {
  const { settlements, fromMs, toMs } = filled;
  const sentAtMs = fromMs + Math.floor(((nth + random.next()) / settlements) * (toMs - fromMs));
  const [payer, recipient] = [choose(random, PAYERS), choose(random, RECIPIENTS)];
  return {
    hash: names.hash(nth),
    opened_at: sentAtMs,
    payer: names.payer(payer),
    party: names.payer(payer),
    authorization: `${names.payer(payer)}:${nth}`,
    submitter: names.submitter(random.below(SUBMITTERS)),
    sequence: String(nth),
    inclusion_bid_stroops: 1_000,
    total_bid_stroops: 60_000,
    max_time_seconds: Math.floor((sentAtMs + DAY_MS) / 1000),
    last_ledger: ledgerAt(sentAtMs + DAY_MS, filled),
    sent_in_ledger: ledgerAt(sentAtMs, filled),
    is_stellar_asset: 1,
    caller: names.caller(choose(random, CALLERS)),
    counted_stroops: 50_000,
    pay_to: names.payTo(recipient),
    amount: String(random.below(1_000_000_000)),
    asset: names.asset(choose(random, ASSETS)),
    resource: `https://seller-${recipient}.example.com/reports/${random.below(RESOURCES)}`,
    request_id: digest('request', nth, 32),
    asked_at: sentAtMs - 300,
    verified_at: sentAtMs - 100,
    ...outcomeOf(nth, sentAtMs, filled, random),
  };
}

const UNENDED = {
  ended_at: null,
  status: null,
  reason: null,
  ledger: null,
  closed_at: null,
  fee_charged_stroops: null,
  code: null,
  message: null,
  listing_status: null,
  listed_at: null,
};

function outcomeOf(nth: number, sentAtMs: number, filled: Filled, random: Random): Row {
  if (nth >= filled.settlements - PENDING) return UNENDED;
  const ledger = ledgerAt(sentAtMs, filled) + 1;
  const closedAtMs = sentAtMs + LEDGER_MS;
  const ended = { ...UNENDED, ended_at: closedAtMs + 500 };
  const applied = { ledger, closed_at: Math.floor(closedAtMs / 1000), fee_charged_stroops: 50_000 };
  if (random.below(100) >= REFUSED_PERCENT)
    return {
      ...ended,
      ...applied,
      status: 'success',
      listing_status: 'success',
      listed_at: closedAtMs + 600,
    };
  const { status, stored, code } = REFUSALS[random.zipf(REFUSALS.length)]!;
  const refused = { ...ended, status: stored, code, message: `The settlement ended: it ${status}.` };
  return status === 'failed' ? { ...refused, ...applied, reason: 'invokeHostFunctionTrapped' } : refused;
}

const ledgerAt = (ms: number, { fromMs }: Filled): number =>
  FIRST_LEDGER + Math.floor((ms - fromMs) / LEDGER_MS);

/** The first of them for a large share, any of them otherwise. */
const choose = (random: Random, count: number): number =>
  random.next() < FIRST_SHARE ? 0 : random.below(count);
