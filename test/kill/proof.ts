/** Whether ledger, journal, catalog and answers tell the same of every payment. */
import { canonicalUrl } from '../../src/catalog/declaration/resource.ts';
import type { Answer, EndedWorld, JournalRow, LedgerTransaction, Payment, World } from './world.ts';

/** At any moment at which the service does not run: what is wrong, a line each. */
export function disagreements(world: World): string[] {
  const known = knownOf(world);
  return [
    ...world.ledger.flatMap((transaction) => unjournaled(transaction, known)),
    ...world.journal.flatMap((row) => untrueRow(row, known)),
    ...paidTwice(world),
    ...missingMoney(world),
    ...world.payments.flatMap((payment) =>
      payment.answers.flatMap((answer) => untrueAnswer(payment, answer, known)),
    ),
  ];
}

/** The same, and that nothing is left to be done: when all validities have passed and the service ran again. */
export function disagreementsAtTheEnd(world: EndedWorld): string[] {
  const open = world.journal.filter(({ status }) => status === null);
  const due = world.journal.filter(({ isListingDue }) => isListingDue);
  return [
    ...disagreements(world),
    ...open.map(({ hash }) => `journal: ${hash} is still open`),
    ...due.map(({ hash }) => `journal: ${hash} still has a listing due`),
    ...wrongListings(world),
  ];
}

interface Known {
  readonly onLedger: ReadonlyMap<string, LedgerTransaction>;
  readonly journaled: ReadonlyMap<string, JournalRow>;
  /** By authorization. */
  readonly settledIn: ReadonlyMap<string, LedgerTransaction>;
}

function knownOf({ ledger, journal }: World): Known {
  return {
    onLedger: new Map(ledger.map((transaction) => [transaction.hash, transaction])),
    journaled: new Map(journal.map((row) => [row.hash, row])),
    settledIn: new Map(
      ledger
        .filter(({ status }) => status === 'success')
        .map((transaction) => [transaction.authorization, transaction]),
    ),
  };
}

function unjournaled({ hash, authorization, submitter }: LedgerTransaction, { journaled }: Known): string[] {
  const row = journaled.get(hash);
  if (row === undefined) return [`ledger: ${hash} was sent without a row in the journal`];
  const isSame = row.authorization === authorization && row.submitter === submitter;
  return isSame ? [] : [`journal: ${hash} names another authorization or submitter than the ledger`];
}

/** A row may be open; a row that has ended says what the ledger says. */
function untrueRow(row: JournalRow, { onLedger }: Known): string[] {
  const { hash, status, ledger, feeChargedStroops, bidStroops } = row;
  const found = onLedger.get(hash);
  if (found !== undefined && found.feeChargedStroops > bidStroops)
    return [`journal: ${hash} was charged ${found.feeChargedStroops}, more than its bid ${bidStroops}`];
  if (status === null) return [];
  if (found === undefined)
    return status === 'success' || status === 'failed' ? [`journal: ${hash} is ${status}, on no ledger`] : [];
  const isTrue =
    status === found.status && ledger === found.ledger && feeChargedStroops === found.feeChargedStroops;
  const said = `${status} in ${ledger} for ${feeChargedStroops}`;
  return isTrue
    ? []
    : [
        `journal: ${hash} is ${said}, on the ledger ${found.status} in ${found.ledger} for ${found.feeChargedStroops}`,
      ];
}

/** Every transaction on the ledger has cost a fee, whether it moved money or not. */
function paidTwice({ ledger }: World): string[] {
  const byAuthorization = Map.groupBy(ledger, ({ authorization }) => authorization);
  return [...byAuthorization]
    .filter(([, transactions]) => transactions.length > 1)
    .map(([authorization, { length }]) => `ledger: ${length} fees were paid for ${authorization}`);
}

function missingMoney({ payments, ledger, received }: World): string[] {
  const settled = new Set(
    ledger.filter(({ status }) => status === 'success').map((one) => one.authorization),
  );
  const due = new Map<string, bigint>();
  for (const { authorization, request } of payments) {
    const { payTo, amount } = request.paymentRequirements;
    if (settled.has(authorization)) due.set(payTo, (due.get(payTo) ?? 0n) + BigInt(amount));
  }
  return [...received]
    .filter(([payTo, amount]) => amount !== (due.get(payTo) ?? 0n))
    .map(
      ([payTo, amount]) => `ledger: ${payTo} received ${amount}, its payments are ${due.get(payTo) ?? 0n}`,
    );
}

const HASH = /\b[0-9a-f]{64}\b/;

function untrueAnswer(payment: Payment, answer: Answer, known: Known): string[] {
  const { body, bazaar } = answer;
  const { authorization } = payment;
  const untrue = (why: string): string[] => [`answer: ${authorization} got ${JSON.stringify(body)}; ${why}`];
  const wrongHeader = untrueHeader(payment, answer);
  if (wrongHeader !== undefined) return untrue(`${wrongHeader} (${JSON.stringify(bazaar)})`);
  if (body.success) {
    const found = known.onLedger.get(body.transaction);
    if (found?.status !== 'success') return untrue('the ledger has no such success');
    return found.authorization === authorization ? [] : untrue('that is another payment');
  }
  const why = untrueRefusal(payment, answer, known);
  return why === undefined ? [] : untrue(why);
}

/** A seller that is told of a listing is told the truth; without a header nothing was said. */
function untrueHeader({ deserves }: Payment, { body, bazaar }: Answer): string | undefined {
  if (bazaar === undefined) return undefined;
  if (!body.success) return 'a refusal speaks of a listing';
  const deserved = { 'a listing': 'success', 'a refusal': 'rejected', nothing: undefined }[deserves];
  return bazaar.status === deserved ? undefined : `it deserves ${deserves}`;
}

/** What is wrong with what a refusal claims. */
function untrueRefusal(
  { authorization, expiration, asked }: Payment,
  { body, inLedger }: Answer,
  { onLedger, journaled, settledIn }: Known,
): string | undefined {
  const { errorReason = '', errorMessage = '' } = body;
  const named = HASH.exec(errorMessage)?.[0];
  const found = named === undefined ? undefined : onLedger.get(named);
  if (named !== undefined && journaled.get(named)?.authorization !== authorization)
    return 'the journal does not have this transaction for it';
  switch (errorReason) {
    case 'settle_exact_stellar_transaction_failed':
      if (errorMessage.includes('is not known yet')) return undefined;
      if (errorMessage.includes('failed in ledger'))
        return found?.status === 'failed' ? undefined : 'the ledger has no such failure';
      if (errorMessage.includes('it never will')) return found && `it is on the ledger as ${found.status}`;
      return 'the network remembers all of its ledgers';
    case 'settle_exact_stellar_transaction_submission_failed':
      return found && `it is on the ledger as ${found.status}`;
    case 'invalid_exact_stellar_payload_simulation_failed': {
      const settled = settledIn.get(authorization);
      const isSpent = settled !== undefined && settled.ledger <= inLedger;
      if (isSpent && asked === 1) return 'its own transaction settled it';
      return isSpent || inLedger >= expiration ? undefined : 'it was good, and had not been settled';
    }
    case 'verification_failed':
      return asked > 1 ? undefined : 'nobody else asked for it';
    case 'unexpected_verify_error':
    case 'unexpected_settle_error':
    case 'settle_exact_stellar_signer_selection_failed':
      return named === undefined && asked === 1 && settledIn.has(authorization)
        ? 'nothing was sent, it says, and it settled'
        : undefined;
    default:
      return 'no payment of this load deserves that';
  }
}

/** Each listing is there because a payment settled that deserves it, with the terms of all such and the latest words. */
function wrongListings({ payments, ledger, listings }: EndedWorld): string[] {
  const settledAt = new Map(
    ledger
      .filter(({ status }) => status === 'success')
      .map((one) => [one.authorization, one.closedAtSeconds]),
  );
  const earned = payments.filter(
    ({ deserves, authorization }) => deserves === 'a listing' && settledAt.has(authorization),
  );
  const byResource = Map.groupBy(earned, ({ request }) => resourceOf(request.paymentPayload.resource));
  const listed = new Map(listings.map((item) => [item.resource, item]));
  const missing = [...byResource.keys()].filter((resource) => !listed.has(resource));
  const twice = listings.length - listed.size;
  return [
    ...(twice > 0 ? [`catalog: ${twice} listings are there twice`] : []),
    ...missing.map((resource) => `catalog: ${resource} was paid for and is not listed`),
    ...listings.flatMap((item) => {
      const paid = byResource.get(item.resource);
      if (paid === undefined) return [`catalog: ${item.resource} is listed, and nobody paid for it`];
      const terms = (one: object): string => JSON.stringify(one);
      const due = new Set(paid.map(({ request }) => terms(request.paymentRequirements)));
      const shown = new Set(item.accepts.map(terms));
      const isSame = due.size === shown.size && [...due].every((one) => shown.has(one));
      const latest = Math.max(...paid.map(({ authorization }) => settledAt.get(authorization)!));
      const words = paid
        .filter(({ authorization }) => settledAt.get(authorization) === latest)
        .map(({ request }) => (request.paymentPayload.resource as { description: string }).description);
      return [
        ...(isSame ? [] : [`catalog: ${item.resource} has other terms than were paid`]),
        ...(words.includes(item.description ?? '')
          ? []
          : [
              `catalog: ${item.resource} says "${item.description}", the latest payment "${words.join('" or "')}"`,
            ]),
      ];
    }),
  ];
}

const resourceOf = (resource: unknown): string => canonicalUrl(new URL((resource as { url: string }).url));
