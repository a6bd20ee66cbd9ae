/** Says in sentences where ledger, journal, catalog, balances and answers disagree about a payment. */
import type { DiscoveryResource } from '../../../src/contract/index.ts';
import type { LedgerTransaction } from '../ledger.ts';
import { claimOf, undeservedRefusal, untrueAnswer, type Attempt } from './answers.ts';
import { untold, wrongEvents } from './events.ts';
import { transferOf, type Facts, type Payment } from './facts.ts';
import { wrongBalances } from './funds.ts';
import { wrongUnderKey } from './keys.ts';
import { wrongListings } from './listings.ts';
import { unfinished, wrongRows } from './rows.ts';
import { paidTwice, wrongFee, wrongTerms } from './transactions.ts';

/** Says what is wrong, a line each, at any moment when nothing changes. Settlements may be open. */
export function disagreements(facts: Facts): string[] {
  const { ledger, journal, accounts } = facts;
  return [
    ...wrongRows(ledger, ledger, journal),
    ...wrongTransactions(facts),
    ...paidTwice(ledger),
    ...wrongBalances(accounts, ledger).map((wrong) => `ledger: ${wrong}`),
    ...wrongAnswers(facts),
    ...facts.payments.flatMap(wrongUnderKey),
    ...(facts.arrivals === undefined ? [] : wrongEvents(journal, facts.arrivals)),
  ];
}

/** Says the same, and what is left to be done, when all validities have passed and the service has run again. */
export function disagreementsAtTheEnd(facts: Facts, listings: readonly DiscoveryResource[]): string[] {
  const settled = settledIn(facts);
  const earned = facts.payments.flatMap(({ deserves, authorization, request }) => {
    const paid = deserves === 'a listing' ? settled.get(authorization) : undefined;
    return paid ? [{ request, closedAtSeconds: paid.closedAtSeconds }] : [];
  });
  return [
    ...disagreements(facts),
    ...unfinished(facts.journal),
    ...untold(facts.journal),
    ...wrongListings(earned, listings),
  ];
}

/** Returns what settled each authorization. */
function settledIn({ ledger }: Facts): ReadonlyMap<string, LedgerTransaction> {
  const successes = ledger.filter(({ status }) => status === 'success');
  return new Map(successes.map((transaction) => [transaction.authorization, transaction]));
}

function wrongTransactions({ ledger, payments, ceilingStroops }: Facts): string[] {
  const byAuthorization = new Map(payments.map((payment) => [payment.authorization, payment]));
  return ledger.flatMap((one) => {
    const payment = byAuthorization.get(one.authorization);
    if (payment === undefined) return [`ledger: nobody asked for ${one.hash}`];
    const wrongs = [
      ...wrongTerms(one, transferOf(payment), ceilingStroops),
      ...wrongFee(one, ceilingStroops),
    ];
    return wrongs.map((wrong) => `ledger: ${one.hash} ${wrong}`);
  });
}

function wrongAnswers(facts: Facts): string[] {
  const settled = settledIn(facts);
  const attempts = attemptsIn(facts);
  return facts.payments.flatMap((payment) => {
    const { authorization } = payment;
    const sent = attempts.get(authorization) ?? [];
    return payment.answers.flatMap((answer) => {
      const [wrong] = [
        ...undeservedRefusal(payment, answer, settled.get(authorization)),
        ...untrueAnswer(
          payment,
          answer,
          sentFor(payment, answer.body, sent),
          settled.get(authorization)?.hash,
        ),
      ];
      const said = `${authorization} was answered ${JSON.stringify(answer.body)}`;
      return wrong === undefined ? [] : [`answer: ${said}, but ${wrong}`];
    });
  });
}

/** Leaves out what may have been sent for somebody else who asked for the same payment. */
function sentFor(
  { asked }: Payment,
  body: Parameters<typeof claimOf>[0],
  sent: readonly Attempt[],
): readonly Attempt[] {
  const { says, hash } = claimOf(body);
  if (asked === 1) return sent;
  return says === 'settled before' ? [] : sent.filter((one) => one.hash === hash);
}

/** Returns what was sent for each authorization, as journal and ledger have it; the ledger is right. */
function attemptsIn({ ledger, journal }: Facts): ReadonlyMap<string, readonly Attempt[]> {
  const rows = journal.map(({ hash, authorization }) => ({ hash, authorization }));
  const applied = ledger.map((one) => ({ hash: one.hash, authorization: one.authorization, applied: one }));
  const byHash = new Map([...rows, ...applied].map((one) => [one.hash, one]));
  return Map.groupBy(byHash.values(), ({ authorization }) => authorization);
}
