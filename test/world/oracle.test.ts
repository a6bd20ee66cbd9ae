/** Gives the oracle facts that disagree: an oracle that finds nothing in them proves nothing. */
import { describe, expect, test } from 'vitest';
import type { DiscoveryResource, PaymentRequirements } from '../../src/contract/index.ts';
import { NETWORK, requirementsFor, USDC } from '../support/payments.ts';
import type { JournalRow } from './journal.ts';
import type { LedgerTransaction } from './ledger.ts';
import type { Answer, Facts, Payment } from './oracle/facts.ts';
import { disagreements, disagreementsAtTheEnd } from './oracle/index.ts';
import { requestDeclaring } from './payment.ts';
import type { Arrival } from './webhookReceiver.ts';

const hashOf = (nth: number): string => nth.toString(16).padStart(64, '0');
const PAYEE = 'GPAYEE';
const TERMS = requirementsFor(PAYEE, { amount: '10' });
const FEE = 23_000;
const TAKEN = 'ledger 101 has 0+1$';
const FAILED = 'settle_exact_stellar_transaction_failed';
const UNEXPECTED = 'unexpected_settle_error';
const REJECTED = 'settle_exact_stellar_transaction_submission_failed';
const MALFORMED = 'invalid_exact_stellar_payload_malformed';
const USED = 'invalid_exact_stellar_payload_simulation_failed';

function transaction(nth: number, changes: Partial<LedgerTransaction> = {}): LedgerTransaction {
  return {
    hash: hashOf(nth),
    status: 'success',
    ledger: 100 + nth,
    closedAtSeconds: 1_000 + nth,
    authorization: `GBUYER:${nth}`,
    submitter: 'GSUBMITTER',
    sequence: BigInt(nth),
    feeSource: 'GSUBMITTER',
    feeStroops: BigInt(FEE) + 100n,
    innerFeeStroops: BigInt(FEE) + 100n,
    maxTimeSeconds: 1_030,
    lastLedger: 110,
    entry: 'AAAA',
    transfer: { asset: USDC, from: 'GBUYER', to: PAYEE, amount: 10n },
    feeChargedStroops: FEE,
    ...changes,
  };
}

function row(nth: number, changes: Partial<JournalRow> = {}): JournalRow {
  const { hash, authorization, submitter, status, ledger, feeChargedStroops } = transaction(nth);
  const known = { hash, authorization, submitter, status, ledger, feeChargedStroops };
  return { ...known, bidStroops: FEE + 100, countedStroops: FEE, isListingDue: false, ...changes };
}

const answer = (body: object): Answer => ({
  body: { network: NETWORK, payer: 'GBUYER', transaction: '', ...body } as Answer['body'],
  bazaar: undefined,
  inLedger: 200,
});
const settled = (nth: number): Answer => answer({ success: true, transaction: hashOf(nth) });
function refused(errorReason: string, errorMessage = '', extra = namedIn(errorMessage), more = {}): Answer {
  return answer({ success: false, errorReason, errorMessage, extra, ...more });
}
function namedIn(errorMessage: string): { transaction?: string } {
  const [transaction] = /[0-9a-f]{64}/.exec(errorMessage) ?? [];
  return transaction === undefined ? {} : { transaction };
}

function payment(nth: number, changes: Partial<Payment> = {}): Payment {
  const deserves = 'a listing';
  const declaration = { url: 'https://shop/item', description: `number ${nth}`, deserves } as const;
  return {
    authorization: `GBUYER:${nth}`,
    expiration: 300,
    request: requestDeclaring(declaration, TERMS, 'AAAA'),
    deserves,
    asked: 1,
    answers: [],
    ...changes,
  };
}

const listing = (nth: number, changes: Partial<DiscoveryResource> = {}): DiscoveryResource => ({
  resource: 'https://shop/item',
  type: 'http',
  x402Version: 2,
  accepts: [payment(nth).request.paymentRequirements],
  lastUpdated: '2026-11-21T12:00:00.000Z',
  description: `number ${nth}`,
  ...changes,
});

const accountsAfter = (fees: number, paid = 20n): Facts['accounts'] => [
  { role: 'payer', address: 'GBUYER', start: { usdc: 99n, native: 5n }, now: { usdc: 79n, native: 5n } },
  { role: 'payee', address: PAYEE, start: { usdc: 0n, native: 5n }, now: { usdc: paid, native: 5n } },
  {
    role: 'submitter',
    address: 'GSUBMITTER',
    start: { usdc: 0n, native: 999_999n },
    now: { usdc: 0n, native: 999_999n - BigInt(fees * FEE) },
  },
];

const arrival = (nth: number, changes: Partial<Arrival> = {}, data: object = {}): Arrival => ({
  id: `settled_${hashOf(nth)}`,
  timestamp: '1000',
  body: '',
  path: '/',
  content: {
    type: 'settlement.settled',
    timestamp: '',
    data: { hash: hashOf(nth), ledger: 100 + nth, feeStroops: FEE, ...data },
  },
  isSigned: true,
  isTaken: true,
  firstInLine: `settled_${hashOf(nth)}`,
  ...changes,
});

type EndedFacts = Facts & { listings: DiscoveryResource[] };

const first = payment(1, { answers: [settled(1)] });
/** Two settled payments for one resource; a third that was sent and never arrived. */
const agreeing: EndedFacts = {
  payments: [first, payment(2), payment(3, { answers: [refused(FAILED, `${hashOf(3)} …; it never will`)] })],
  ledger: [transaction(1), transaction(2)],
  journal: [
    row(1),
    row(2),
    row(3, { status: 'never', ledger: null, feeChargedStroops: null, countedStroops: 0 }),
  ],
  accounts: accountsAfter(2),
  ceilingStroops: 50_000,
  listings: [listing(2)],
};

const atTheEnd = (facts: EndedFacts): string[] => disagreementsAtTheEnd(facts, facts.listings);
const withRow = (nth: number, changes: Partial<JournalRow>): Partial<Facts> => ({
  journal: agreeing.journal.map((known) => (known.hash === hashOf(nth) ? { ...known, ...changes } : known)),
});
const withFirst = (changes: Partial<Payment>): Partial<Facts> => ({
  payments: [{ ...first, ...changes }, ...agreeing.payments.slice(1)],
});
/** The first payment, of other terms. */
const withTerms = (changes: Partial<PaymentRequirements>): Partial<Facts> =>
  withFirst({ request: { ...first.request, paymentRequirements: { ...TERMS, ...changes } } });
const withTransaction = (changes: Partial<LedgerTransaction>): Partial<Facts> => ({
  ledger: [transaction(1, changes), transaction(2)],
});

test('a world that agrees', () => {
  expect(atTheEnd(agreeing)).toEqual([]);
});

test('a world whose receiver was told all, one of them twice since its answer was lost', () => {
  const arrivals = [arrival(1), arrival(2), arrival(2, { firstInLine: hashOf(7) })];
  expect(atTheEnd({ ...agreeing, arrivals })).toEqual([]);
});

describe('found at any moment:', () => {
  const finds = (changes: Partial<Facts>, line: RegExp): void =>
    expect(disagreements({ ...agreeing, ...changes })).toEqual([expect.stringMatching(line)]);

  test.each<[string, number, Partial<JournalRow>, RegExp]>([
    ['a row about another authorization', 1, { authorization: 'GBUYER:7' }, /names another authorization/],
    ['a row that says never, of what is on the ledger', 1, { status: 'never' }, / is never in 101/],
    ['a row that names another ledger', 1, { ledger: 7 }, / is success in 7/],
    ['a row that names another fee', 1, { feeChargedStroops: 7 }, / is success in 101 for 7/],
    ['a success that is on no ledger', 3, { status: 'success' }, / is success, on no ledger$/],
    ['a row that says forgotten, of what is remembered', 3, { status: 'forgotten' }, / is forgotten, on no/],
    ['a row that counts for another fee', 1, { countedStroops: 7 }, / counts for 7, not for 23000$/],
    ['a row whose bid was not given back', 3, { countedStroops: FEE }, / counts for 23000, not for 0$/],
    ['a fee above its bid', 1, { bidStroops: FEE - 1 }, / was charged 23000, more than its bid 22999$/],
  ])('%s', (_what, nth, changes, line) => {
    finds(withRow(nth, changes), new RegExp(`^journal: ${hashOf(nth)}.*${line.source}`));
  });

  test.each<[string, Partial<Facts>, RegExp]>([
    [
      'a replay under its own key',
      withFirst({
        asked: 2,
        key: 'k',
        answers: [refused(USED, `already used, by transaction ${hashOf(1)}`)],
      }),
      /^answer: GBUYER:1 is a replay under its own key$/,
    ],
    [
      'two answers under one key',
      withFirst({
        asked: 2,
        key: 'k',
        answers: [settled(1), { ...settled(1), bazaar: { status: 'success' } }],
      }),
      /^answer: GBUYER:1 has 2 answers under one key: /,
    ],
    [
      'a transaction that was sent before it was journaled',
      { journal: agreeing.journal.slice(1) },
      /^journal: 0+1 was sent without a row/,
    ],
    [
      'two fees for one authorization',
      {
        payments: [{ ...first, asked: 2 }, ...agreeing.payments.slice(1)],
        ledger: [...agreeing.ledger, transaction(4, { authorization: 'GBUYER:1', status: 'failed' })],
        journal: [...agreeing.journal, row(4, { authorization: 'GBUYER:1', status: 'failed' })],
        accounts: accountsAfter(3),
      },
      /^ledger: 2 fees were paid for GBUYER:1$/,
    ],
    [
      'a total that its entries do not add up to',
      { journal: agreeing.journal.map((known) => ({ ...known, totalStroops: FEE })) },
      /^journal: the entries count for 46000, but the total is 23000$/,
    ],
    [
      'money that arrived without a payment',
      { accounts: accountsAfter(2, 30n) },
      /GPAYEE holds 30 usdc, .* 20$/,
    ],
    [
      'a fee without a transaction',
      { accounts: accountsAfter(3) },
      /GSUBMITTER holds 930999 native, .* 953999$/,
    ],
    [
      'an account that nobody knows',
      { accounts: accountsAfter(2).slice(0, 2) },
      /GSUBMITTER pays or is paid, and/,
    ],
    [
      'an outcome that nobody was told',
      { arrivals: [arrival(1), arrival(2, { isTaken: false })] },
      /^webhook: settled_0+2 was never taken/,
    ],
    [
      'an event that overtook another of its recipient',
      { arrivals: [arrival(2, { firstInLine: `settled_${hashOf(1)}` }), arrival(1)] },
      /^webhook: settled_0+2 arrived before settled_0+1$/,
    ],
    [
      'an event of what has no outcome',
      { arrivals: [arrival(1), arrival(2), arrival(3)] },
      /^webhook: settled_0+3 arrived with .*, not what/,
    ],
    [
      'an event with another fee',
      { arrivals: [arrival(1), arrival(2, {}, { feeStroops: 7 })] },
      /^webhook: settled_0+2 arrived with .*, not what/,
    ],
    [
      'an event that is not signed',
      { arrivals: [arrival(1), arrival(2, { isSigned: false })] },
      /^webhook: settled_0+2 is not signed$/,
    ],
    [
      'a bid above the ceiling',
      withTransaction({ feeStroops: 99_000n }),
      /bids 99000 stroops, above the ceiling/,
    ],
    [
      'a fee above the bid on the network',
      withTransaction({ feeStroops: 1n }),
      / cost 23000 stroops: its bid was 1,/,
    ],
    [
      'a transaction that nobody asked for',
      { payments: agreeing.payments.slice(1) },
      /nobody asked for 0+1$/,
    ],
    [
      'another recipient than was signed for',
      withTerms({ payTo: 'GOTHER' }),
      /0+1 pays to GPAYEE, not GOTHER$/,
    ],
    ['another amount than was signed for', withTerms({ amount: '11' }), /0+1 pays amount 10, not 11$/],
  ])('%s', (_what, changes, line) => finds(changes, line));

  test.each<[string, Answer, string]>([
    ['a success that the ledger does not have', settled(3), 'the ledger has no such transfer'],
    ["a success that is another payment's", settled(2), `no transaction ${hashOf(2)}`],
    ['a success with the transaction of nobody', settled(9), `no transaction ${hashOf(9)}`],
    [
      'a failure that the ledger does not have',
      refused(FAILED, `${hashOf(3)} failed in ledger 7`),
      'no ledger has that',
    ],
    [
      'a failure about the transaction of another payment',
      refused(FAILED, `${hashOf(2)} … is not known yet`),
      `no transaction ${hashOf(2)}`,
    ],
    ['a refusal as used, of what was never paid and is still good', refused(USED), 'it was good, and had'],
    ['a refusal for another settlement, where there is none', refused('verification_failed'), 'nobody else'],
    ['a refusal that no payment here deserves', refused(MALFORMED), 'no good payment'],
    [
      'an outcome that is said to be forgotten',
      refused(FAILED, `${hashOf(3)} … no longer remembers`),
      'the network remembers',
    ],
    [
      'a transaction that may have been sent, without its hash',
      refused(UNEXPECTED, 'it may have been sent'),
      'no transaction undefined',
    ],
    [
      'a hash that the message does not name',
      refused(UNEXPECTED, 'it may have been sent', { transaction: hashOf(3) }),
      'its message does not',
    ],
    [
      'a refusal as settled before, by the transaction of another payment',
      refused(UNEXPECTED, `already used, by transaction ${hashOf(2)}`),
      `${hashOf(2)} did not settle it`,
    ],
    ['another payer', refused(UNEXPECTED, '', {}, { payer: 'GOTHER' }), 'somebody else pays'],
    [
      'a refusal that speaks of a listing',
      { ...refused(UNEXPECTED), bazaar: { status: 'success' } },
      'a refusal speaks',
    ],
  ])('%s', (_what, third, wrong) => {
    const payments = [...agreeing.payments.slice(0, 2), payment(3, { answers: [third] })];
    finds({ payments }, new RegExp(`^answer: GBUYER:3 was answered .*, but ${wrong}`));
  });

  test.each<[string, Answer, string]>([
    [
      'a listing that is said to be refused',
      { ...settled(1), bazaar: { status: 'rejected' } },
      'it deserves a',
    ],
    ['a payment that settled, answered as never', refused(FAILED, `${hashOf(1)} …; it never will`), TAKEN],
    [
      'a payment that settled, answered as not accepted',
      refused(REJECTED, `… ${hashOf(1)} (txBadSeq)`),
      TAKEN,
    ],
    ['a payment that settled, answered as nothing sent', refused(UNEXPECTED, '… nothing was sent.'), TAKEN],
    [
      'a payment that settled, answered as used, before it was',
      { ...refused(USED), inLedger: 100 },
      'it was good, and had',
    ],
  ])('%s', (_what, untrue, line) => {
    finds(withFirst({ answers: [untrue] }), new RegExp(`^answer: GBUYER:1 was .*, but ${line}`));
  });
});

describe('found at the end:', () => {
  test.each<[string, Partial<EndedFacts>, string]>([
    [
      'a row that is still open',
      withRow(3, { status: null, countedStroops: FEE + 100 }),
      'journal: 0+3 is still open$',
    ],
    [
      'a listing that is still due',
      withRow(1, { isListingDue: true }),
      'journal: 0+1 still has a listing due$',
    ],
    ['an event that still waits', withRow(1, { hasEvent: true }), 'webhook: settled_0+1 still waits$'],
  ])('%s', (_what, changes, line) => {
    expect(atTheEnd({ ...agreeing, ...changes })).toEqual([expect.stringMatching(line)]);
  });

  test.each<[string, DiscoveryResource[], string]>([
    ['a payment that is not listed', [], 'item was paid for and is not listed$'],
    [
      'a listing that nobody paid for',
      [listing(2), listing(2, { resource: 'https://shop/free' })],
      'free is listed, and nobody paid for it$',
    ],
    [
      'a listing with the terms of nobody',
      [listing(2, { accepts: [requirementsFor('GTHIEF')] })],
      'item has other terms than were paid$',
    ],
    [
      'a listing in the words of an earlier payment',
      [listing(1)],
      'item says "number 1", the latest payment "number 2"$',
    ],
    ['a listing twice', [listing(2), listing(2)], '1 listings are there twice$'],
  ])('%s', (_what, listings, line) => {
    expect(atTheEnd({ ...agreeing, listings })).toEqual([expect.stringMatching(`^catalog: .*${line}`)]);
  });
});
