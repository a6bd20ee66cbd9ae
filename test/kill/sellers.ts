/** Sellers with payments of many kinds, who ask a service to settle them, again if need be. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Keypair } from '@stellar/stellar-sdk';
import type { BazaarOutcome, SettleResponse } from '../../src/contract/index.ts';
import type { Random } from '../catalog/random.ts';
import { validatorAt } from '../support/contract.ts';
import { requirementsFor } from '../support/payments.ts';
import type { TestSandbox } from '../support/sandbox.ts';
import type { Payment } from '../world/oracle/facts.ts';
import { newPayment as signedPayment, outcomeIn } from '../world/payment.ts';

const BUYERS = 16;
const SHOPS = 6;
/** Resources that are paid for again and again, with other words and terms each time. */
const POPULAR = 3;
const SHARE_POPULAR = 0.4;
const PRICES = [100_000, 200_000, 300_000];
const FUNDS = 10n ** 12n;
/** Of an authorization, from now: ledgers are short here. */
const SHORTEST_LEDGERS = 15;
const LONGEST_LEDGERS = 90;
const MAX_TIMEOUT_SECONDS = 90;
/** Of all askings, those that ask for an earlier payment, and those that ask several times at once. */
const SHARE_AGAIN = 0.3;
const SHARE_AT_ONCE = 0.15;
/** Of the earlier ones, those that have no answer. */
const SHARE_LOST = 0.8;
/** Payments that may be asked for again. */
const REMEMBERED = 20;
/** Of a payment under a key that is pending. */
const RETRY_MS = 200;
const MOST_TRIES = 300;

export interface Sellers {
  readonly payments: readonly Payment[];
  readonly payers: readonly string[];
  readonly payees: readonly string[];
  /** Asks for the next payment, now and then for an earlier one, or twice at once, each time at a URL of its own. */
  askNext(urlOf: () => string): Promise<void>;
  /** Asks for an earlier payment, mostly one whose answer was lost when the service was killed. */
  askAgain(urlOf: () => string): Promise<void>;
  /** Asks for everything that has no answer. */
  askUnanswered(urlOf: () => string): Promise<void>;
}

export function openSellers(deps: {
  sandbox: TestSandbox;
  random: Random;
  /** Of all resources. */
  host: string;
  onAnswer: () => void;
}): Sellers {
  const { sandbox, random, host, onAnswer } = deps;
  const buyers = Array.from({ length: BUYERS }, () => sandbox.account(FUNDS));
  const shops = Array.from({ length: SHOPS }, () => sandbox.account(0n).publicKey());
  const payments: Payment[] = [];
  /** The latest ones, oldest first. */
  const remembered: Payment[] = [];

  function newPayment(): Payment {
    const number = payments.length;
    const buyer: Keypair = random.pick(buyers);
    const isPopular = random.next() < SHARE_POPULAR;
    const popular = random.below(POPULAR);
    const payTo = isPopular ? shops[popular]! : random.pick(shops);
    const requirements = requirementsFor(payTo, {
      amount: String(random.pick(PRICES)),
      maxTimeoutSeconds: MAX_TIMEOUT_SECONDS,
    });
    const lifetime = SHORTEST_LEDGERS + random.below(LONGEST_LEDGERS - SHORTEST_LEDGERS);
    const expiration = sandbox.network.latestLedger + lifetime;
    const nonce = sandbox.nonce();
    const chance = random.next();
    const deserves = isPopular || chance < 0.5 ? 'a listing' : chance < 0.75 ? 'nothing' : 'a refusal';
    const path = isPopular ? `popular${popular}` : `item${number}`;
    const payment = signedPayment(
      { key: buyer, requirements, expiration, nonce },
      { url: `https://${host}/${path}`, description: `number ${number}`, deserves },
    );
    if (number % 2 === 0) payment.key = `delivery-${number}`;
    payments.push(payment);
    remembered.push(payment);
    if (remembered.length > REMEMBERED) remembered.shift();
    return payment;
  }

  function earlierPayment(): Payment {
    if (remembered.length === 0) return newPayment();
    const lost = remembered.filter(({ answers }) => answers.length === 0);
    return random.pick(lost.length > 0 && random.next() < SHARE_LOST ? lost : remembered);
  }

  async function ask(url: string, payment: Payment): Promise<void> {
    payment.asked += 1;
    const answer = await settle(url, payment);
    if (answer === undefined) return;
    payment.answers.push({ ...answer, inLedger: sandbox.network.latestLedger });
    onAnswer();
  }

  /** Under a key, the service says that it is still pending. */
  async function askUntilAnswered(urlOf: () => string, payment: Payment): Promise<void> {
    for (let tries = 1; payment.answers.length === 0 && tries <= MOST_TRIES; tries += 1) {
      await ask(urlOf(), payment);
      if (payment.key === undefined) return;
      if (payment.answers.length === 0) await sleep(RETRY_MS);
    }
  }

  return {
    payments,
    payers: buyers.map((key) => key.publicKey()),
    payees: shops,
    async askNext(urlOf) {
      const payment = random.next() < SHARE_AGAIN ? earlierPayment() : newPayment();
      const times = random.next() < SHARE_AT_ONCE ? 2 + random.below(2) : 1;
      await Promise.all(Array.from({ length: times }, () => ask(urlOf(), payment)));
    },
    askAgain: (urlOf) => ask(urlOf(), earlierPayment()),
    async askUnanswered(urlOf) {
      const unanswered = payments.filter(({ answers }) => answers.length === 0);
      await Promise.all(unanswered.map((payment) => askUntilAnswered(urlOf, payment)));
    },
  };
}

/** Undefined where the service ended before it answered, or where the settlement under its key is under way. Throws where the answer breaks the contract. */
async function settle(
  url: string,
  { request, key }: Payment,
): Promise<{ body: SettleResponse; bazaar: BazaarOutcome | undefined } | undefined> {
  let response: Response;
  let body: unknown;
  try {
    const headers = {
      'content-type': 'application/json',
      ...(key !== undefined && { 'idempotency-key': key }),
    };
    response = await fetch(`${url}/settle`, { method: 'POST', headers, body: JSON.stringify(request) });
    body = await response.json();
  } catch {
    return undefined;
  }
  if (response.status === 409 && key !== undefined) return undefined;
  const isSettleResponse = validatorAt('#/components/schemas/SettleResponse');
  if (response.status !== 200 || !isSettleResponse(body))
    throw new Error(`POST /settle answered ${response.status} with ${JSON.stringify(body)}`);
  const header = response.headers.get('extension-responses') ?? undefined;
  return { body: body as SettleResponse, bazaar: outcomeIn(header) };
}
