import { StrKey, xdr } from '@stellar/stellar-sdk';
import { expect } from 'vitest';
import type { SettleResponse } from '../../src/contract/index.ts';
import { AMOUNT } from '../support/payments.ts';
import { accountOf, invocationIn } from '../support/serviceSettlements.ts';
import { PAYER_USDC, SUBMITTER_STROOPS, until } from './world.ts';
import type { Sale, World } from './world.ts';

/** After a fault has cleared, within so many ledgers the next payment is on the ledger. */
const MOST_LEDGERS = 200;
const PAGE = 200;

/** A transaction that a ledger took. */
interface Taken {
  hash: string;
  isPaid: boolean;
  ledger: number;
  submitter: string;
  /** Of the authorization that it carries. */
  nonce: bigint;
  feeStroops: bigint;
}

/** Ends all faults, waits until every end is known, and holds each submitter to settling the next payment. */
export async function expectRecovery(world: World): Promise<void> {
  await world.mend();
  await until('no end is open', () => world.journal().every(({ status }) => status !== null));
  const asked = world.network.latestLedger;
  const payments = world.submitters.map(() => world.payment());
  const answers = await Promise.all(payments.map((payment) => world.settle(payment)));
  expect(answers.map(({ errorMessage = 'settled' }) => errorMessage)).toEqual(payments.map(() => 'settled'));
  const taken = takenBy(world).filter(({ nonce }) => payments.some((payment) => payment.nonce === nonce));
  expect(taken.map(({ submitter }) => submitter).sort()).toEqual(
    world.submitters.map((key) => key.publicKey()).sort(),
  );
  for (const { ledger } of taken) expect(ledger - asked).toBeLessThanOrEqual(MOST_LEDGERS);
  await expectTruth(world);
}

/** Holds what the sellers were told, the journal and the balances to the ledger. All faults must have ended. */
export async function expectTruth(world: World): Promise<void> {
  await until('no end is open', () => world.journal().every(({ status }) => status !== null));
  // Nothing that is still on its way may change what is found now.
  const last = world.network.latestLedger + 2;
  await until('two more ledgers have closed', () => world.network.latestLedger >= last);
  const taken = takenBy(world);
  for (const sale of world.sales) expectTrueAnswers(sale, taken, world);
  expectTrueJournal(world, taken);
  for (const key of world.submitters) {
    const { native, usdc } = world.network.balances(key.publicKey());
    const spent = taken.filter(({ submitter }) => submitter === key.publicKey());
    expect(SUBMITTER_STROOPS - native).toBe(spent.reduce((sum, { feeStroops }) => sum + feeStroops, 0n));
    expect(usdc).toBe(0n);
  }
}

/** One payment at the most for one authorization, no fee without it, and every answer as the ledger has it. */
function expectTrueAnswers({ payment, answers }: Sale, all: Taken[], { network }: World): void {
  const taken = all.filter(({ nonce }) => nonce === payment.nonce);
  const paid = taken.filter(({ isPaid }) => isPaid);
  const story = JSON.stringify({ answers, taken: taken.map(({ hash, isPaid }) => ({ hash, isPaid })) });
  expect(taken.length, `one fee: ${story}`).toBeLessThanOrEqual(1);
  const moved = BigInt(paid.length) * AMOUNT;
  expect(network.balances(payment.payTo).usdc, story).toBe(moved);
  expect(PAYER_USDC - network.balances(payment.payer).usdc, story).toBe(moved);
  const isAskedAgain = answers.length > 1;
  for (const answer of answers) {
    expect(isTrue(answer, taken, isAskedAgain), `no other end than the ledger's: ${story}`).toBe(true);
  }
}

function isTrue(answer: SettleResponse, taken: Taken[], isAskedAgain: boolean): boolean {
  const { success, transaction, errorReason, errorMessage = '', extra } = answer;
  const { transaction: named = '' } = (extra ?? {}) as { transaction?: string };
  const isPaidBy = (hash: string) => taken.some((one) => one.hash === hash && one.isPaid);
  if (success) return isPaidBy(transaction);
  if (/look it up/i.test(errorMessage)) return errorMessage.includes(named) && named.length === 64;
  // Another settlement of the same payment may have paid, before or after: this one says that it did not.
  if (isAskedAgain) return !isPaidBy(named);
  switch (errorReason) {
    case 'settle_exact_stellar_transaction_failed':
      if (errorMessage.includes('failed in ledger'))
        return taken.length === 1 && !taken[0]!.isPaid && taken[0]!.hash === named;
      return taken.length === 0 && errorMessage.includes(named) && named.length === 64;
    case 'settle_exact_stellar_transaction_submission_failed':
    case 'settle_exact_stellar_signer_selection_failed':
    case 'unexpected_verify_error':
    case 'unexpected_settle_error':
      return taken.length === 0;
    // The payments are all good: nothing else may be said of one that was asked for once.
    default:
      return false;
  }
}

function expectTrueJournal(world: World, taken: Taken[]): void {
  const rows = world.journal();
  const ends = new Map(taken.map((one) => [one.hash, one]));
  for (const { hash, status, fee_charged_stroops } of rows) {
    const end = ends.get(hash);
    const isApplied = status === 'success' || status === 'failed';
    expect({ hash, status, isApplied }).toEqual({
      hash,
      status: end === undefined ? status : end.isPaid ? 'success' : 'failed',
      isApplied: end !== undefined,
    });
    if (end !== undefined && fee_charged_stroops !== null)
      expect(BigInt(fee_charged_stroops)).toBe(end.feeStroops);
  }
  const journaled = new Set(rows.map(({ hash }) => hash));
  expect(taken.filter(({ hash }) => !journaled.has(hash))).toEqual([]);
}

/** All that the ledgers of a world took. */
export function takenBy({ network }: World): Taken[] {
  const found: Taken[] = [];
  for (let cursor = ''; ;) {
    const params = { pagination: { limit: PAGE, ...(cursor && { cursor }) } };
    const { result } = network.rpc('getTransactions', params) as { result: Record<string, any> };
    found.push(...(result['transactions'] as Record<string, any>[]).map(decode));
    if (result['transactions'].length < PAGE) return found;
    cursor = result['cursor'];
  }
}

function decode({ txHash, status, ledger, envelopeXdr, resultXdr }: Record<string, any>): Taken {
  const envelope = xdr.TransactionEnvelope.fromXdr(envelopeXdr, 'base64');
  if (envelope.type !== 'envelopeTypeTx') throw new Error('a fee bump where there is no account for it');
  const { tx } = envelope.v1;
  const { credentials } = invocationIn(tx).auth[0]!;
  if (credentials.type !== 'sorobanCredentialsAddress') throw new Error('other credentials than were signed');
  const { feeCharged } = xdr.TransactionResult.fromXdr(resultXdr, 'base64');
  const submitter = accountOf(tx.sourceAccount);
  if (!StrKey.isValidEd25519PublicKey(submitter)) throw new Error('no account');
  return {
    hash: txHash,
    isPaid: status === 'SUCCESS',
    ledger,
    submitter,
    nonce: credentials.address.nonce,
    feeStroops: feeCharged,
  };
}
