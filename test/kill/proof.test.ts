/** Worlds that do not agree: a proof that finds nothing there proves nothing. */
import { describe, expect, test } from 'vitest';
import type { DiscoveryResource } from '../../src/contract/index.ts';
import { NETWORK, requestFor, requirementsFor } from '../support/payments.ts';
import { disagreements, disagreementsAtTheEnd } from './proof.ts';
import type { Answer, EndedWorld, JournalRow, LedgerTransaction, Payment } from './world.ts';

const hashOf = (nth: number): string => nth.toString(16).padStart(64, '0');
const PAYEE = 'GPAYEE';
const FEE = 23_000;

function transaction(nth: number, changes: Partial<LedgerTransaction> = {}): LedgerTransaction {
  return {
    hash: hashOf(nth),
    status: 'success',
    ledger: 100 + nth,
    closedAtSeconds: 1_000 + nth,
    authorization: `GBUYER:${nth}`,
    submitter: 'GSUBMITTER',
    feeChargedStroops: FEE,
    ...changes,
  };
}

function row(nth: number, changes: Partial<JournalRow> = {}): JournalRow {
  const { hash, authorization, submitter, status, ledger, feeChargedStroops } = transaction(nth);
  const known = { hash, authorization, submitter, status, ledger, feeChargedStroops };
  return { ...known, bidStroops: FEE + 100, isListingDue: false, ...changes };
}

const answer = (body: object, changes: Partial<Answer> = {}): Answer => ({
  body: { network: NETWORK, payer: 'GBUYER', transaction: '', ...body } as Answer['body'],
  bazaar: undefined,
  inLedger: 200,
  ...changes,
});
const settled = (nth: number): Answer => answer({ success: true, transaction: hashOf(nth) });
const refused = (errorReason: string, errorMessage = '', changes: Partial<Answer> = {}): Answer =>
  answer({ success: false, errorReason, errorMessage }, changes);

function payment(nth: number, changes: Partial<Payment> = {}): Payment {
  const requirements = requirementsFor(PAYEE, { amount: '10' });
  const { paymentPayload, ...request } = requestFor(requirements, 'AAAA');
  const resource = { url: 'https://shop/item', description: `number ${nth}` };
  return {
    authorization: `GBUYER:${nth}`,
    expiration: 300,
    request: { ...request, paymentPayload: { ...paymentPayload, resource } },
    deserves: 'a listing',
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

/** Two settled payments for one resource; a third that was sent and never arrived. */
const agreeing: EndedWorld = {
  payments: [
    payment(1, { answers: [settled(1)] }),
    payment(2),
    payment(3, {
      answers: [
        refused(
          'settle_exact_stellar_transaction_failed',
          `Transaction ${hashOf(3)} was sent …; it never will, …`,
        ),
      ],
    }),
  ],
  ledger: [transaction(1), transaction(2)],
  journal: [row(1), row(2), row(3, { status: 'never', ledger: null, feeChargedStroops: null })],
  received: new Map([[PAYEE, 20n]]),
  listings: [listing(2)],
};

test('a world that agrees', () => {
  expect(disagreementsAtTheEnd(agreeing)).toEqual([]);
});

/** The third payment, with other answers. */
const withAnswer = (third: Answer, changes: Partial<Payment> = {}): Partial<EndedWorld> => ({
  payments: [...agreeing.payments.slice(0, 2), payment(3, { answers: [third], ...changes })],
});
const withRow = (nth: number, changes: Partial<JournalRow>): Partial<EndedWorld> => ({
  journal: agreeing.journal.map((known) => (known.hash === hashOf(nth) ? { ...known, ...changes } : known)),
});

describe('found at any moment:', () => {
  test.each<[string, Partial<EndedWorld>, RegExp]>([
    [
      'a transaction that was sent before it was journaled',
      { journal: agreeing.journal.slice(1) },
      /^ledger: 0+1 was sent without a row/,
    ],
    [
      'a row about another authorization',
      withRow(1, { authorization: 'GBUYER:7' }),
      /^journal: 0+1 names another authorization/,
    ],
    [
      'a row that says never, of what is on the ledger',
      withRow(1, { status: 'never' }),
      /^journal: 0+1 is never in 101/,
    ],
    ['a row that names another ledger', withRow(1, { ledger: 7 }), /^journal: 0+1 is success in 7/],
    [
      'a row that names another fee',
      withRow(1, { feeChargedStroops: 7 }),
      /^journal: 0+1 is success in 101 for 7/,
    ],
    ['a success that is on no ledger', withRow(3, { status: 'success' }), /^journal: 0+3 is success, on no/],
    ['a fee above its bid', withRow(1, { bidStroops: FEE - 1 }), /^journal: 0+1 was charged 23000, more/],
    [
      'two fees for one authorization',
      {
        ledger: [
          ...agreeing.ledger,
          transaction(4, { authorization: 'GBUYER:1', status: 'failed', ledger: 104 }),
        ],
        journal: [...agreeing.journal, row(4, { authorization: 'GBUYER:1', status: 'failed' })],
      },
      /^ledger: 2 fees were paid for GBUYER:1$/,
    ],
    [
      'money that arrived without a payment',
      { received: new Map([[PAYEE, 30n]]) },
      /^ledger: GPAYEE received 30, its payments are 20/,
    ],
    [
      'a success that the ledger does not have',
      withAnswer(settled(3)),
      /^answer: GBUYER:3 .*; the ledger has no such success$/,
    ],
    [
      "a success that is another payment's",
      withAnswer(settled(2)),
      /^answer: GBUYER:3 .*; that is another payment$/,
    ],
    [
      'a success with the transaction of nobody',
      withAnswer(settled(9)),
      /^answer: GBUYER:3 .*; the ledger has no such success$/,
    ],
    [
      'a failure that the ledger does not have',
      withAnswer(
        refused('settle_exact_stellar_transaction_failed', `Transaction ${hashOf(3)} failed in ledger 7`),
      ),
      /; the ledger has no such failure$/,
    ],
    [
      'a failure about the transaction of another payment',
      withAnswer(
        refused('settle_exact_stellar_transaction_failed', `Transaction ${hashOf(2)} … is not known yet`),
      ),
      /; the journal does not have this transaction for it$/,
    ],
    [
      'a refusal as used, of what was never paid and is still good',
      withAnswer(refused('invalid_exact_stellar_payload_simulation_failed')),
      /; it was good, and had not been settled$/,
    ],
    [
      'a refusal for another settlement, where there is none',
      withAnswer(refused('verification_failed')),
      /; nobody else asked for it$/,
    ],
    [
      'a refusal that no payment here deserves',
      withAnswer(refused('invalid_exact_stellar_payload_malformed')),
      /; no payment of this load deserves that$/,
    ],
    [
      'a listing that is said to be refused',
      {
        payments: [
          payment(1, { answers: [{ ...settled(1), bazaar: { status: 'rejected' } }] }),
          ...agreeing.payments.slice(1),
        ],
      },
      /; it deserves a listing/,
    ],
  ])('%s', (_what, changes, line) => {
    expect(disagreements({ ...agreeing, ...changes })).toEqual([expect.stringMatching(line)]);
  });

  test.each<[string, Answer, RegExp]>([
    [
      'never',
      refused('settle_exact_stellar_transaction_failed', `Transaction ${hashOf(1)} …; it never will`),
      /; it is on the ledger as success$/,
    ],
    [
      'not accepted',
      refused('settle_exact_stellar_transaction_submission_failed', `… transaction ${hashOf(1)} (txBadSeq)`),
      /; it is on the ledger as success$/,
    ],
    [
      'nothing sent',
      refused('unexpected_settle_error', '… nothing was sent.'),
      /; nothing was sent, it says, and it settled$/,
    ],
    [
      'used, before it was',
      refused('invalid_exact_stellar_payload_simulation_failed', '', { inLedger: 100 }),
      /; it was good, and had not been settled$/,
    ],
  ])('a payment that settled, answered as %s', (_what, untrue, line) => {
    const payments = [payment(1, { answers: [untrue] }), ...agreeing.payments.slice(1)];
    expect(disagreements({ ...agreeing, payments })).toEqual([expect.stringMatching(line)]);
  });
});

describe('found at the end:', () => {
  test.each<[string, Partial<EndedWorld>, RegExp]>([
    ['a row that is still open', withRow(3, { status: null }), /^journal: 0+3 is still open$/],
    [
      'a listing that is still due',
      withRow(1, { isListingDue: true }),
      /^journal: 0+1 still has a listing due$/,
    ],
    [
      'a payment that is not listed',
      { listings: [] },
      /^catalog: https:\/\/shop\/item was paid for and is not/,
    ],
    [
      'a listing that nobody paid for',
      { listings: [listing(2), listing(2, { resource: 'https://shop/free' })] },
      /^catalog: https:\/\/shop\/free is listed, and nobody paid for it$/,
    ],
    [
      'a listing with the terms of nobody',
      { listings: [listing(2, { accepts: [requirementsFor('GTHIEF')] })] },
      /^catalog: https:\/\/shop\/item has other terms than were paid$/,
    ],
    [
      'a listing in the words of an earlier payment',
      { listings: [listing(1)] },
      /^catalog: https:\/\/shop\/item says "number 1", the latest payment "number 2"$/,
    ],
    ['a listing twice', { listings: [listing(2), listing(2)] }, /^catalog: 1 listings are there twice$/],
  ])('%s', (_what, changes, line) => {
    expect(disagreementsAtTheEnd({ ...agreeing, ...changes })).toEqual([expect.stringMatching(line)]);
  });
});
