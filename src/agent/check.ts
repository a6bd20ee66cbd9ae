/** Tries the set-up for whoever made it (`--check`): reads what calls would need, and signs and pays nothing. */
import { lumensOf } from '../stellar/assets.ts';
import { PASSPHRASES } from '../stellar/networks.ts';
import { createFacilitator, type Facilitator } from './catalog/facilitator.ts';
import { amountText, nameOf } from './amountText.ts';
import { balanceText, facilitatorText, holdingProblem, limitLines } from './checkText.ts';
import { Failure } from './codes.ts';
import type { McpConfig } from './config.ts';
import { isObject, valueAt, type JsonObject } from './json.ts';
import type { AgentLimits } from './limits.ts';
import {
  createPace,
  createRpc,
  createSpendPolicy,
  createWallet,
  openDailyBudgets,
  type AuthorizationSigner,
  type Refusal,
  type Wallet,
} from './wallet/index.ts';

export interface CheckDeps {
  config: McpConfig;
  /** Undefined if no key is configured. */
  signer: AuthorizationSigner | undefined;
  facilitatorKey: string | undefined;
  limits: AgentLimits;
}

export interface Checked {
  /** A label and what was found, in the order in which to show them. */
  readonly lines: readonly (readonly [label: string, text: string])[];
  /** True if a paid call would work. */
  readonly canPay: boolean;
}

export async function checkSetUp(deps: CheckDeps): Promise<Checked> {
  const { config, signer, facilitatorKey, limits } = deps;
  const { facilitatorUrl, network, rpcUrls, spend } = config;
  const facilitator = createFacilitator({ baseUrl: facilitatorUrl, key: facilitatorKey, limits });
  const rpc = createRpc(rpcUrls, PASSPHRASES[network], limits.wallet.rpc);
  const now = (): number => Math.floor(performance.now());
  const ledger = { rpc, now, limits: limits.wallet, pace: createPace({ rpc, now, limits: limits.wallet }) };
  const budgets = spend.daily && openDailyBudgets(spend.daily);
  const policy = createSpendPolicy(spend, budgets);
  const wallet = signer && createWallet({ ...ledger, network, signer, policy });
  try {
    const served = await servedKind(facilitator, config);
    const purse = wallet ? await readPurse(wallet, config) : [];
    const paid =
      'problem' in served ? { problem: served.problem } : await paidCall(wallet, purse, served, config);
    return {
      canPay: !('problem' in paid),
      lines: [
        ['wallet', wallet?.address ?? 'none: CLIENT_STELLAR_PRIVATE_KEY is not set'],
        ['network', `${network}, ${rpcUrls.map((url) => new URL(url).origin).join(', ')}`],
        ...purse.map(({ asset, held }) => ['balance', balanceText(held, asset)] as const),
        ...limitLines(config),
        ['facilitator', facilitatorText(facilitatorUrl, served.listings)],
        ['free call', freeText(served)],
        [
          'paid call',
          'problem' in paid ? `would not work: ${paid.problem}` : `would work, up to ${paid.upTo}`,
        ],
      ],
    };
  } finally {
    await Promise.all([rpc.close(), facilitator.close()]);
    budgets?.close();
  }
}

interface Kind {
  /** Listings in the catalog. */
  readonly listings: number;
  /** The only assets (C…) that it serves; undefined for any. */
  readonly assets: readonly unknown[] | undefined;
}
interface Unserved {
  readonly problem: string;
  /** Undefined if the catalog cannot be read either. */
  readonly listings: number | undefined;
}

/** Asks the facilitator whether it serves such payments. */
async function servedKind(facilitator: Facilitator, { network }: McpConfig): Promise<Kind | Unserved> {
  const [page, kinds] = await Promise.all([facilitator.list({ limit: 1 }), facilitator.kinds()]);
  if (page instanceof Failure) return { problem: textOf(page), listings: undefined };
  const { total: listings } = page;
  if (kinds instanceof Failure) return { problem: textOf(kinds), listings };
  const kind = kinds.find((one) => one['scheme'] === 'exact' && one['network'] === network);
  if (kind === undefined || valueAt(kind, 'extra', 'areFeesSponsored') !== true)
    return { problem: `the facilitator serves no exact payments on ${network}`, listings };
  return { listings, assets: assetsOf(kind) };
}

function assetsOf({ extra }: JsonObject): readonly unknown[] | undefined {
  const assets = isObject(extra) ? extra['assets'] : undefined;
  return Array.isArray(assets) ? assets : undefined;
}

/** A failure of the facilitator, without what an agent is told of the money. */
function textOf({ message }: Failure): string {
  return message.replace(/ ?Nothing was paid\. ?/, '').replace(/\.$/, '');
}

function freeText(served: Kind | Unserved): string {
  return 'problem' in served && served.listings === undefined
    ? `would not work: ${served.problem}`
    : 'would work';
}

interface Holding {
  readonly asset: string;
  readonly held: bigint | Refusal;
}

/** Reads the allowed assets, and lumens. */
async function readPurse(wallet: Wallet, { network, spend }: McpConfig): Promise<Holding[]> {
  const assets = [...new Set([...spend.allowedAssets, lumensOf(network)])];
  return Promise.all(assets.map(async (asset) => ({ asset, held: await wallet.balance(asset) })));
}

/** Finds the first allowed asset that could pay now, and how much; or says why there is none. */
async function paidCall(
  wallet: Wallet | undefined,
  purse: readonly Holding[],
  { assets }: Kind,
  { spend }: McpConfig,
): Promise<{ upTo: string } | { problem: string }> {
  if (wallet === undefined) return { problem: 'there is no wallet' };
  const problems: string[] = [];
  for (const { asset, held } of purse.filter((one) => spend.allowedAssets.includes(one.asset))) {
    const problem = await assetProblem(wallet, { asset, held }, assets);
    if (problem === undefined)
      return {
        upTo: amountText(least(spend.maxAmount, spend.sessionBudget, held as bigint), asset),
      };
    problems.push(`${nameOf(asset)}: ${problem}`);
  }
  return { problem: problems.join('; ') };
}

async function assetProblem(
  wallet: Wallet,
  { asset, held }: Holding,
  served: readonly unknown[] | undefined,
): Promise<string | undefined> {
  if (typeof held !== 'bigint') return holdingProblem(held);
  if (held === 0n) return 'the wallet has none';
  if (served !== undefined && !served.includes(asset)) return 'the facilitator does not serve it';
  return (await wallet.objection(asset))?.message;
}

const least = (...amounts: readonly bigint[]): bigint =>
  amounts.reduce((one, other) => (other < one ? other : one));
