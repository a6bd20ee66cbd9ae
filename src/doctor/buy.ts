/** Makes one real payment to a seller, as a buyer would. */
import type { JsonObject } from '../agent/json.ts';
import { paymentPayload } from '../agent/payment/offer.ts';
import { readReceipt } from '../agent/payment/receipt.ts';
import {
  createPace,
  createRpc,
  createSpendPolicy,
  createWallet,
  follow,
  isRefusal,
  readTerms,
  signerFromSecret,
  WALLET_LIMITS,
  type PaymentEnd,
  type SignedPayment,
  type Terms,
} from '../agent/wallet/index.ts';
import { PASSPHRASES } from '../stellar/networks.ts';
import { decoded, fetchDemand, type Asked } from './demand.ts';
import type { ExamineDeps } from './examine.ts';
import { ok, unchecked, unpaid, type Finding } from './finding.ts';
import { readOffers, type Offer } from './offers.ts';
import { quoted } from './quoted.ts';

/** The account that pays, and the most that it pays. */
export interface Purse {
  readonly payerSecret: string;
  /** Base units of the asset that the seller asks for first. */
  readonly mostBaseUnits: bigint;
}

const CHECK = 'payment';
const NEEDS = 'Give the payer enough of the asset, and allow the price with --pay.';
const MEND = "Read the seller's log: it shows what its facilitator said.";

/**
 * Asks for the 402 anew, and pays its first offer on Stellar once, if it asks for the asset that was examined. The finding
 * says what the ledger shows of it.
 */
export async function buyOnce(
  deps: ExamineDeps,
  asked: Asked,
  { examined, purse }: { examined: Offer | undefined; purse: Purse },
): Promise<Finding> {
  const required = await resultOf(fetchDemand(deps, asked));
  const [offer] = required === undefined ? [] : await resultOf(readOffers(required, deps.limits.maxOffers));
  if (required === undefined || offer === undefined || !isInSameAsset(offer, examined))
    return unpaid(CHECK, 'was not made: the 402 has changed');
  const terms = readTerms(offer.entry, offer.network);
  if (isRefusal(terms)) return unpaid(CHECK, `was not made: the offer ${terms.message}`);
  return pay(deps, { asked, required, offer, terms }, purse);
}

/** What may be paid is a number of base units. Of another asset, it could be worth far more. */
const isInSameAsset = ({ network, entry }: Offer, examined: Offer | undefined): boolean =>
  network === examined?.network && entry['asset'] === examined.entry['asset'];

interface Purchase {
  readonly asked: Asked;
  readonly required: JsonObject;
  readonly offer: Offer;
  readonly terms: Terms;
}

async function pay(deps: ExamineDeps, purchase: Purchase, purse: Purse): Promise<Finding> {
  const { terms, required, offer } = purchase;
  const { network } = offer;
  const rpc = createRpc(deps.rpcUrls(network), PASSPHRASES[network]);
  const ledger = { rpc, limits: WALLET_LIMITS, now: (): number => performance.now() };
  const pace = createPace(ledger);
  const most = purse.mostBaseUnits;
  const wallet = createWallet({
    ...ledger,
    network,
    pace,
    signer: signerFromSecret(purse.payerSecret),
    policy: createSpendPolicy({ maxAmount: most, sessionBudget: most, allowedAssets: [terms.asset] }),
  });
  try {
    const payment = await wallet.sign(terms);
    if (isRefusal(payment)) return unchecked(CHECK, `was not made: ${payment.message}`, NEEDS);
    const assembled = await wallet.assemble(payment);
    if (isRefusal(assembled))
      return unchecked(
        CHECK,
        `was signed and shown to the Stellar RPC, and not sent to the seller: ${assembled.message}`,
        NEEDS,
      );
    const payload = paymentPayload(required, offer.entry, assembled.transaction);
    const followed = follow({ ...ledger, pace, closing: new AbortController().signal }, payment);
    const answer = await send(deps, purchase, { payment, payload });
    followed.hurry(answer.claimed);
    return told(await followed.ended, payment, answer);
  } finally {
    await rpc.close();
  }
}

/** What the seller answered to the payment. */
interface Answer {
  readonly isDelivered: boolean;
  /** The answer, in words. */
  readonly text: string;
  /** The transaction that its receipt names. */
  readonly claimed: string | undefined;
}

async function send(
  { fetch, reach, limits }: ExamineDeps,
  { asked: { url, method }, offer: { network } }: Purchase,
  { payment, payload }: { payment: SignedPayment; payload: JsonObject },
): Promise<Answer> {
  const headers = {
    accept: 'application/json',
    'payment-signature': Buffer.from(JSON.stringify(payload)).toString('base64'),
  };
  try {
    const signal = AbortSignal.timeout(limits.paidTimeoutMs);
    const response = await fetch(url, { method, reach, signal, headers });
    await response.body?.cancel();
    const header = response.headers.get('payment-response');
    const raw = header === null ? undefined : decoded(header, limits.maxJsonDepth);
    const receipt = readReceipt(raw, { network, payer: payment.payer });
    const refusal = decoded(response.headers.get('payment-required') ?? '', limits.maxJsonDepth);
    const reason = typeof refusal === 'string' ? undefined : refusal['error'];
    const said = receipt.kind === 'failure' ? receipt.text : reason;
    return {
      isDelivered: response.ok,
      text: `the seller answered ${response.status}${said === undefined ? '' : `, and says ${quoted(said)}`}`,
      claimed: receipt.kind === 'success' ? receipt.transaction : undefined,
    };
  } catch {
    return { isDelivered: false, text: 'the seller did not answer', claimed: undefined };
  }
}

function told(end: PaymentEnd, { terms, payer }: SignedPayment, { isDelivered, text }: Answer): Finding {
  if (end.status === 'unknown')
    return unchecked(CHECK, `may have been taken: the ledger did not tell, and ${text}`, MEND);
  if (end.status === 'notSettled') return unpaid(CHECK, `did not settle, and never will: ${text}`, MEND);
  const by = `${terms.amount} base units were paid by ${payer}, in transaction ${end.transaction ?? 'unknown'}`;
  return isDelivered
    ? ok(CHECK, `${by}, and ${text}`)
    : unpaid(CHECK, `${by}, but ${text}`, `${MEND} The buyer has paid for nothing.`);
}

/** Runs a generator to its end, and returns what it returns. */
async function resultOf<T>(generator: AsyncGenerator<unknown, T> | Generator<unknown, T>): Promise<T> {
  for (;;) {
    const { done, value } = await generator.next();
    if (done) return value;
  }
}
