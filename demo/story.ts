/** One paid request, told while it happens. */
import { decodePaymentRequiredHeader, decodePaymentResponseHeader } from '@x402/core/http';
import type { PaymentPayload, PaymentRequirements } from '@x402/fetch';
import { units } from '../src/stellar/units.ts';
import { readAuthorization } from './authorization.ts';
import { tellBooks } from './books.ts';
import { balancesOf } from './cast.ts';
import { claim } from './claim.ts';
import { receiptOf, type Receipt } from './receipt.ts';
import type { Stage } from './stage.ts';
import { fact, good, line, step, title } from './terminal.ts';

/** What the buyer asks the seller for first. */
export const CITY = 'Porto';

/** A payment as the seller sends it to the facilitator. */
export interface SentPayment {
  paymentPayload: PaymentPayload;
  paymentRequirements: PaymentRequirements;
}

/** A payment that was settled, and the hash of the transaction. */
export interface PaidStory {
  payment: SentPayment;
  transaction: string;
}

/** Tells how the buyer gets the weather, and returns the payment. Throws if a claim is false. */
export async function tellStory(stage: Stage): Promise<PaidStory> {
  const { network, cast, seller } = stage;
  const url = `${seller.url}?city=${CITY}`;
  tellCast(stage);
  await askWithoutPaying(url);

  const before = balancesOf(network, cast);
  const { sent, response } = await pay(stage, url);
  claim(response.status === 200, `the paid request is answered 200 (it is ${response.status})`);
  const settlement = decodePaymentResponseHeader(response.headers.get('PAYMENT-RESPONSE') ?? '');
  const receipt = receiptOf(network, settlement.transaction);
  tellLedger(receipt, stage);
  step(6, 'The buyer has the resource, and the receipt');
  fact('200', await response.text());
  fact(
    'receipt',
    `PAYMENT-RESPONSE: success ${settlement.success}, transaction ${shortened(settlement.transaction)}`,
  );
  claim(settlement.payer === cast.buyer.publicKey(), 'the receipt names the buyer as payer');

  const price = BigInt(sent.paymentRequirements.amount);
  tellBooks({ number: 7, before, after: balancesOf(network, cast), price, feeStroops: receipt.feeStroops });
  return { payment: sent, transaction: settlement.transaction };
}

function tellCast({ cast, network, sandbox, facilitator, seller }: Stage): void {
  title('A payment from 402 to receipt, on a Stellar network inside this process');
  fact('network', `${sandbox.url}, ledger ${network.latestLedger}, one per second`);
  fact('facilitator', facilitator.url);
  fact('seller', seller.url);
  fact('buyer', cast.buyer.publicKey());
}

async function askWithoutPaying(url: string): Promise<void> {
  step(1, 'The buyer asks for the weather, and is told the price');
  const response = await fetch(url);
  claim(response.status === 402, `the seller asks for money (402; it answered ${response.status})`);
  const { accepts } = decodePaymentRequiredHeader(response.headers.get('PAYMENT-REQUIRED') ?? '');
  const [terms] = accepts;
  claim(terms !== undefined, 'the 402 names its terms');
  fact('402', 'PAYMENT-REQUIRED:');
  fact('scheme', `${terms.scheme} on ${terms.network}`);
  fact('amount', `${terms.amount} base units = ${units(BigInt(terms.amount))} USDC`);
  fact('asset', terms.asset);
  fact('payTo', terms.payTo);
  fact('time', `settled within ${terms.maxTimeoutSeconds} s`);
}

/** The stock client and the stock seller do all of it; their hooks let us look on. */
async function pay(
  { buyer, seller, network }: Stage,
  url: string,
): Promise<{ sent: SentPayment; response: Response }> {
  let sent: SentPayment | undefined;
  // Hooks stay for good; later payments are told elsewhere.
  let isTold = false;
  buyer.client.onAfterPaymentCreation(async ({ paymentPayload }) => {
    if (!isTold) tellSigned(paymentPayload, network.latestLedger);
  });
  seller.x402.onAfterVerify(async ({ paymentPayload, requirements, result }) => {
    if (isTold) return;
    sent = { paymentPayload, paymentRequirements: requirements } as SentPayment;
    step(3, 'The seller asks the facilitator whether the payment is good');
    fact('POST /verify', good(`isValid ${result.isValid}`));
    fact('payer', result.payer ?? 'unknown');
  });
  seller.x402.onBeforeSettle(async () => {
    if (!isTold)
      step(4, 'The seller asks the facilitator to settle: it submits the payment and waits for the ledger');
  });
  seller.x402.onAfterSettle(async ({ result }) => {
    if (isTold) return;
    fact('POST /settle', good(`success ${result.success}`));
    fact('transaction', result.transaction);
    tellListed(result.extensionResponses);
  });
  const response = await buyer.fetch(url);
  isTold = true;
  claim(sent !== undefined, 'the seller had the payment verified');
  return { sent, response };
}

function tellSigned(payload: PaymentPayload, latestLedger: number): void {
  const signed = readAuthorization(payload);
  step(2, 'The buyer signs an authorization for exactly that, and asks again');
  fact('signed', `${signed.functionName}(from, to, amount) on ${shortened(signed.contract)}`);
  fact('from', signed.from);
  fact('to', signed.to);
  fact('amount', `${signed.amount} base units = ${units(signed.amount)} USDC`);
  fact('valid', `until ledger ${signed.expirationLedger} (now ${latestLedger})`);
  line('It is not a transaction: the buyer sends nothing to the network and needs no lumens.');
}

/** The facilitator has also listed the resource, since the seller declared it. */
function tellListed(extensionResponses: unknown): void {
  const { bazaar } = (extensionResponses ?? {}) as { bazaar?: { status?: string } };
  // A settlement does not wait for a catalog that is late, on a busy machine; then there is no header.
  fact('listed', good(`EXTENSION-RESPONSES: bazaar ${bazaar?.status ?? 'not known yet'}`));
  claim(bazaar?.status !== 'rejected', 'the settled payment lists its resource');
  line('The seller declared what it sells, so the catalog lists it.');
}

function tellLedger({ ledger, source, feeSource, feeStroops }: Receipt, { cast }: Stage): void {
  step(5, 'The ledger has it (read from the network)');
  fact('ledger', String(ledger));
  fact('carried by', `${source}, the submitter`);
  fact('fee', `${feeStroops} stroops = ${units(feeStroops)} XLM`);
  fact('paid by', `${feeSource}, the fee account`);
  claim(source === cast.submitter.publicKey(), 'the submitter carries the transaction');
  claim(feeSource === cast['fee account'].publicKey(), 'the fee account pays the fee');
}

export function shortened(text: string): string {
  return `${text.slice(0, 6)}…${text.slice(-6)}`;
}
