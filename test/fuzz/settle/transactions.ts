import { isDeepStrictEqual } from 'node:util';
import type { Network } from '../../../sandbox/network.ts';
import type { Call } from './answers.ts';
import { createLedgerReader, type LedgerTransaction } from '../../world/ledger.ts';
import { wrongFee, wrongTerms } from '../../world/oracle/transactions.ts';
import { readTransaction, type Transaction } from '../../world/transaction.ts';
import type { NetworkFunds } from './funds.ts';
import type { Payment } from './payments.ts';

/** A transaction that the service has sent. */
export interface Sent extends Transaction {
  /** For whom it was sent last: a later request can come to the very same transaction, which was refused before. */
  call: Call;
  /** Dispatches of it that were not refused: each may still arrive. */
  open: number;
  applied?: LedgerTransaction;
  /** What an answer said that rules it out from then on. */
  ruledOut?: string;
}

/** What the service sends and what ledgers take, held to the rules at each moment. */
export interface Transactions {
  /** All that was ever sent, by hash. */
  readonly sent: ReadonlyMap<string, Sent>;
  /** The service notes in its journal what it is about to send, and for whom. */
  noted(hash: string, call: Call): void;
  /** An envelope leaves the service. */
  leaves(
    envelopeXdr: string,
    service: { submitters: readonly string[]; feeSources: readonly string[] },
  ): void;
  /** The service has read an answer that refuses it. */
  refused(envelopeXdr: string): void;
  /** A ledger has closed. */
  ledgerClosed(): void;
  isSpent(authorization: string): boolean;
  /** Returns what settled the payment. */
  settledIn(payment: Payment): LedgerTransaction | undefined;
  /** Returns the hash of what spent the payment's authorization for the same transfer, perhaps as signed another time. */
  settledBy(payment: Payment): string | undefined;
}

export interface TransactionDeps {
  network: Network;
  /** Milliseconds. */
  now: () => number;
  funds: NetworkFunds;
  ceilingStroops: number;
  complain: (complaint: string) => void;
  /** Whether the network has ever taken it. */
  isTaken: (hash: string) => boolean;
  /** Whether the journal, as it lies on the disk, has it as open. */
  isJournaled: (hash: string) => boolean;
}

/** A settlement's transaction must come to an end while its seller waits, and a little after. */
const MAX_VALIDITY_SECONDS = 60;

export function createTransactions(deps: TransactionDeps): Transactions {
  const { network, now, funds, ceilingStroops, complain } = deps;
  const sent = new Map<string, Sent>();
  const notedFor = new Map<string, Call>();
  const spent = new Map<string, Sent>();
  const readLedger = createLedgerReader(network);

  /** Whether the service must still count with it. Of two with the same sequence number at most one can ever apply. */
  const mayApply = ({ open, applied, maxTimeSeconds, lastLedger }: Sent): boolean =>
    open > 0 &&
    applied === undefined &&
    now() / 1000 <= maxTimeSeconds + 1 &&
    network.latestLedger < lastLedger;

  function checkNew(one: Sent, submitters: readonly string[], feeSources: readonly string[]): void {
    const { hash, call, authorization } = one;
    const say = (what: string) => complain(`transaction ${hash} for ${call.payment.name} ${what}`);
    for (const wrong of wrongTerms(one, call.payment.transfer, ceilingStroops)) say(wrong);
    if (!submitters.includes(one.submitter)) say(`has the source ${one.submitter}, which is no submitter`);
    if (!feeSources.includes(one.feeSource)) say(`is paid for by ${one.feeSource}`);
    if (call.answer !== undefined) say('is sent after its settlement was answered');
    if (spent.has(authorization)) say('is sent although its authorization is spent');
    if (one.maxTimeSeconds > now() / 1000 + MAX_VALIDITY_SECONDS)
      say(`stays possible for ${one.maxTimeSeconds - Math.floor(now() / 1000)} s`);
    for (const other of sent.values()) {
      const isAlternative = other.submitter === one.submitter && other.sequence === one.sequence;
      if (isAlternative || !mayApply(other)) continue;
      if (other.authorization === authorization)
        say(`is a second one for its authorization, while ${other.hash} may still apply`);
      if (other.submitter === one.submitter)
        say(`is a second one of its submitter, while ${other.hash} may still apply`);
    }
    if (one.entry !== call.payment.entry) say('carries another authorization');
  }

  function apply(one: Sent, applied: LedgerTransaction): void {
    const { hash, call, authorization, transfer } = one;
    const { ledger } = applied;
    const isSuccess = applied.status === 'success';
    const say = (what: string) =>
      complain(
        `transaction ${hash} for ${call.payment.name}, ${isSuccess ? '' : 'failed '}in ledger ${ledger}, ${what}`,
      );
    const isGood =
      call.payment.terms.defect === null &&
      !spent.has(authorization) &&
      call.payment.expiration >= ledger &&
      funds.canPay(transfer);
    if (isGood !== isSuccess) say(`should have ${isGood ? 'succeeded' : 'failed'}`);
    if (spent.has(authorization)) say('cost a fee for an authorization that was spent already');
    for (const wrong of wrongFee(applied, ceilingStroops)) say(wrong);
    if (call.sent.some((other) => other.applied !== undefined)) say('is the second that cost a fee');
    if (one.ruledOut !== undefined) say(`although the seller was told: ${one.ruledOut}`);
    one.applied = applied;
    funds.apply(applied);
    if (isSuccess) spent.set(authorization, one);
  }

  function passOn(one: Sent, call: Call): void {
    one.call = call;
    call.sent.push(one);
    delete one.ruledOut;
  }

  return {
    sent,
    noted: (hash, call) => void notedFor.set(hash, call),
    leaves(envelopeXdr, { submitters, feeSources }) {
      const transaction = readTransaction(envelopeXdr);
      const { hash, maxTimeSeconds, lastLedger } = transaction;
      const known = sent.get(hash);
      // One that was paused may send what has applied or expired meanwhile, as others have journaled.
      const isOver =
        known?.applied !== undefined ||
        now() / 1000 > maxTimeSeconds + 1 ||
        network.latestLedger >= lastLedger;
      if (!isOver && !deps.isJournaled(hash))
        complain(`transaction ${hash} is sent and not open in the journal`);
      const call = notedFor.get(hash);
      if (!call) return complain(`transaction ${hash} is sent, and nobody asked for it`);
      if (known) {
        known.open += 1;
        if (known.call !== call) passOn(known, call);
        return;
      }
      const one: Sent = { ...transaction, call, open: 1 };
      checkNew(one, submitters, feeSources);
      sent.set(hash, one);
      call.sent.push(one);
    },
    refused(envelopeXdr) {
      const { hash } = readTransaction(envelopeXdr);
      const one = sent.get(hash);
      // One that the network has all the same may apply, whatever a node says of it.
      if (one && !deps.isTaken(hash)) one.open -= 1;
    },
    ledgerClosed() {
      for (const applied of readLedger()) {
        const one = sent.get(applied.hash);
        if (one) apply(one, applied);
        else complain(`ledger ${applied.ledger} has transaction ${applied.hash}, which was never sent`);
      }
      for (const difference of funds.differences()) complain(difference);
    },
    isSpent: (authorization) => spent.has(authorization),
    settledBy({ authorization, transfer }) {
      const one = spent.get(authorization);
      return one && isDeepStrictEqual(one.transfer, transfer) ? one.hash : undefined;
    },
    settledIn(payment) {
      const one = spent.get(payment.authorization);
      return one?.call.payment === payment ? one.applied : undefined;
    },
  };
}
