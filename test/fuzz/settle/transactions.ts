import { xdr } from '@stellar/stellar-sdk';
import type { Network } from '../../../sandbox/network.ts';
import type { Call } from './answers.ts';
import type { Funds } from './funds.ts';
import { readSubmitted } from './submitted.ts';
import type { Submitted } from './submitted.ts';
import type { Payment } from './payments.ts';

/** A transaction that the service has sent. */
export interface Sent extends Submitted {
  /** For whom it was sent last: a later request can come to the very same transaction, which was refused before. */
  call: Call;
  /** Dispatches of it that were not refused: each may still arrive. */
  open: number;
  applied?: Applied;
  /** What an answer said that rules it out from then on. */
  ruledOut?: string;
}

export interface Applied {
  readonly ledger: number;
  readonly isSuccess: boolean;
  readonly feeStroops: bigint;
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
  hasSettled(payment: Payment): boolean;
}

export interface TransactionDeps {
  network: Network;
  /** Milliseconds. */
  now: () => number;
  funds: Funds;
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

  /** Whether the service must still count with it. Of two with the same sequence number at most one can ever apply. */
  const mayApply = ({ open, applied, maxTimeSeconds, lastLedger }: Sent): boolean =>
    open > 0 &&
    applied === undefined &&
    now() / 1000 <= maxTimeSeconds + 1 &&
    network.latestLedger < lastLedger;

  function checkNew(one: Sent, submitters: readonly string[], feeSources: readonly string[]): void {
    const { hash, call, feeStroops, innerFeeStroops, authorization } = one;
    const say = (what: string) => complain(`transaction ${hash} for ${call.payment.name} ${what}`);
    const fee = feeStroops > innerFeeStroops ? feeStroops : innerFeeStroops;
    if (fee > ceilingStroops) say(`bids ${fee} stroops, above the ceiling of ${ceilingStroops}`);
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
    for (const difference of differencesTo(call.payment, one)) say(difference);
  }

  function apply(one: Sent, applied: Applied): void {
    const { hash, call, authorization, transfer, feeSource } = one;
    const { ledger, isSuccess, feeStroops } = applied;
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
    if (feeStroops > ceilingStroops || feeStroops > one.feeStroops)
      say(`cost ${feeStroops} stroops: its bid was ${one.feeStroops}, the ceiling is ${ceilingStroops}`);
    if (call.sent.some((other) => other.applied !== undefined)) say('is the second that cost a fee');
    if (one.ruledOut !== undefined) say(`although the seller was told: ${one.ruledOut}`);
    one.applied = applied;
    funds.charge(feeSource, feeStroops);
    if (!isSuccess) return;
    spent.set(authorization, one);
    funds.move(transfer);
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
      const submitted = readSubmitted(envelopeXdr);
      const { hash } = submitted;
      if (!deps.isJournaled(hash)) complain(`transaction ${hash} is sent and not open in the journal`);
      const known = sent.get(hash);
      const call = notedFor.get(hash);
      if (!call) return complain(`transaction ${hash} is sent, and nobody asked for it`);
      if (known) {
        known.open += 1;
        if (known.call !== call) passOn(known, call);
        return;
      }
      const one: Sent = { ...submitted, call, open: 1 };
      checkNew(one, submitters, feeSources);
      sent.set(hash, one);
      call.sent.push(one);
    },
    refused(envelopeXdr) {
      const { hash } = readSubmitted(envelopeXdr);
      const one = sent.get(hash);
      // One that the network has all the same may apply, whatever a node says of it.
      if (one && !deps.isTaken(hash)) one.open -= 1;
    },
    ledgerClosed() {
      for (const { txHash, status, ledger, resultXdr } of takenBy(network)) {
        const one = sent.get(txHash);
        if (!one) complain(`ledger ${ledger} has transaction ${txHash}, which was never sent`);
        else apply(one, { ledger, isSuccess: status === 'SUCCESS', feeStroops: feeIn(resultXdr) });
      }
      for (const difference of funds.differences()) complain(difference);
    },
    isSpent: (authorization) => spent.has(authorization),
    hasSettled: (payment) => spent.get(payment.authorization)?.call.payment === payment,
  };
}

/** How what is sent departs from what the payer signed. */
function differencesTo({ transfer, entry, name }: Payment, one: Submitted): string[] {
  const differing = (['asset', 'from', 'to', 'amount'] as const).filter(
    (field) => one.transfer[field] !== transfer[field],
  );
  return [
    ...differing.map((field) => `pays ${field} ${one.transfer[field]}, not ${transfer[field]}`),
    ...(one.entry === entry ? [] : [`carries another authorization than that of ${name}`]),
  ];
}

interface Taken {
  txHash: string;
  status: 'SUCCESS' | 'FAILED';
  ledger: number;
  resultXdr: string;
}

/** The transactions of the latest ledger. */
function takenBy(network: Network): Taken[] {
  const page = { startLedger: network.latestLedger, pagination: { limit: 200 } };
  return (network.rpc('getTransactions', page) as { result: { transactions: Taken[] } }).result.transactions;
}

const feeIn = (resultXdr: string): bigint => xdr.TransactionResult.fromXdr(resultXdr, 'base64').feeCharged;
