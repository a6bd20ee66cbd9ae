import type { Config, Secrets } from '../../config/config.ts';
import type { Log } from '../../log/log.ts';
import { openService } from '../../service.ts';
import {
  createPace,
  createRpc,
  createSpendPolicy,
  createWallet,
  isRefusal,
  readTerms,
  signerFromSecret,
  WALLET_LIMITS,
} from '../../agent/wallet/index.ts';
import { PASSPHRASES } from '../../stellar/networks.ts';
import { fail, ok, type Finding } from './finding.ts';

export interface PaymentOrder {
  readonly payerSecret: string;
  /** G…, C…, M… or W…. */
  readonly payTo: string;
  readonly asset: string;
}

const CHECK = 'payment';
const TIMEOUT_SECONDS = 60;
const ANSWER_TIMEOUT_MS = 90_000;

/**
 * Makes one real payment of one base unit, in the roles of the buyer, the seller and the service: signs it, and has it
 * verified and settled by a temporary service with these settings, which keeps nothing.
 */
export async function pay(config: Config, secrets: Secrets, order: PaymentOrder, log: Log): Promise<Finding> {
  const accepted = {
    scheme: 'exact',
    network: config.network,
    asset: order.asset,
    amount: '1',
    payTo: order.payTo,
    maxTimeoutSeconds: TIMEOUT_SECONDS,
    extra: { areFeesSponsored: true },
  };
  const signed = await sign(config, order, accepted);
  if (typeof signed === 'string') return fail(CHECK, `was not signed: ${signed}`);
  const callers = { ...config.callers, needKey: false, discoveryNeedsKey: false };
  const service = await openService({
    config: { ...config, callers, host: '127.0.0.1', port: 0, operator: undefined, dbPath: ':memory:' },
    secrets,
    log,
  });
  try {
    const paymentPayload = { x402Version: 2, accepted, payload: signed };
    const body = JSON.stringify({ x402Version: 2, paymentPayload, paymentRequirements: accepted });
    const verdict = await ask(service.url, '/verify', body);
    if (verdict.isValid !== true)
      return fail(CHECK, `was refused (${verdict.invalidReason}): ${verdict.invalidMessage}`);
    const settled = await ask(service.url, '/settle', body);
    if (settled.success !== true)
      return fail(CHECK, `did not settle (${settled.errorReason}): ${settled.errorMessage}`);
    return ok(CHECK, `one base unit was paid to ${order.payTo}, in transaction ${settled.transaction}`);
  } finally {
    await service.close();
  }
}

/** Returns the payload, or a text that says why there is none. */
async function sign(
  { network, rpcUrls }: Config,
  { payerSecret, asset }: PaymentOrder,
  accepted: object,
): Promise<{ transaction: string } | string> {
  const terms = readTerms(accepted, network);
  if (isRefusal(terms)) return `the order ${terms.message}`;
  const rpc = createRpc(rpcUrls, PASSPHRASES[network]);
  try {
    const deps = { rpc, limits: WALLET_LIMITS, now: (): number => performance.now() };
    const wallet = createWallet({
      ...deps,
      network,
      signer: signerFromSecret(payerSecret),
      pace: createPace(deps),
      policy: createSpendPolicy({ maxAmount: 1n, sessionBudget: 1n, allowedAssets: [asset] }),
    });
    const payment = await wallet.sign(terms);
    if (isRefusal(payment)) return payment.message;
    const assembled = await wallet.assemble(payment);
    return isRefusal(assembled) ? assembled.message : { transaction: assembled.transaction };
  } finally {
    await rpc.close();
  }
}

/** An answer of verify or settle. */
interface Answer {
  readonly isValid?: boolean;
  readonly invalidReason?: string;
  readonly invalidMessage?: string;
  readonly success?: boolean;
  readonly errorReason?: string;
  readonly errorMessage?: string;
  readonly transaction?: string;
}

async function ask(url: string, path: string, body: string): Promise<Answer> {
  const headers = { 'content-type': 'application/json' };
  const signal = AbortSignal.timeout(ANSWER_TIMEOUT_MS);
  const answer = await fetch(url + path, { method: 'POST', headers, body, signal });
  return (await answer.json()) as Answer;
}
