import type { Overview, Readiness } from '../contract/index.ts';
import type { FeesToday, Journal, Records } from '../journal/index.ts';
import type { SchemeState } from '../scheme/index.ts';
import type { Webhooks } from '../webhooks/index.ts';
import type { Growth } from './growth.ts';
import { known } from './known.ts';
import type { FeeBudgets } from './metrics/index.ts';
import { shownWebhooks } from './shownWebhooks.ts';

export interface OverviewDeps {
  version: string;
  network: string;
  readiness(): Promise<Readiness>;
  scheme(): SchemeState;
  journal: { readonly records: Pick<Records, 'latestLedgers'> } & Pick<Journal, 'feesToday'>;
  feeBudgets: FeeBudgets;
  refusals(): Overview['refusals'];
  /** Returns undefined if the catalog does not answer. */
  listings(): Promise<number | undefined>;
  growth: Growth;
  webhooks: Pick<Webhooks, 'state'> | undefined;
}

type Account = Overview['accounts'][number];

const LEDGERS_SHOWN = 60;
const NO_FEES: FeesToday = { all: 0, anonymous: 0 };

/** Returns a function that reads the overview, without what cannot be read. The readiness in it says why. */
export function createOverview(deps: OverviewDeps): () => Promise<Overview> {
  const { version, network, journal, feeBudgets, growth } = deps;
  const startedAt = new Date().toISOString();
  return async () => {
    const [readiness, ledgers, feesToday = NO_FEES, listings, webhooks] = await Promise.all([
      deps.readiness(),
      journal.records.latestLedgers(LEDGERS_SHOWN).catch(() => []),
      journal.feesToday(),
      deps.listings(),
      deps.webhooks && shownWebhooks(deps.webhooks).catch(() => undefined),
    ]);
    return known({
      at: new Date().toISOString(),
      version,
      network,
      startedAt,
      readiness,
      ...shownState(deps.scheme()),
      fees: known({
        todayStroops: feesToday.all,
        budgetStroops: feeBudgets.all,
        anonymous: ifKnown(feeBudgets.anonymous, (budgetStroops) => ({
          todayStroops: feesToday.anonymous,
          budgetStroops,
        })),
      }),
      ledgers: ledgers.map(({ closedAt, ...total }) => ({ ...total, closedAt: closedAt.toISOString() })),
      refusals: deps.refusals(),
      webhooks,
      catalog: known({ listings, growth: growth.sizes() }),
    });
  };
}

function shownState({
  ledger,
  nodes,
  accounts,
  feeBump,
  waiting,
  inFlight,
}: SchemeState): Pick<Overview, 'ledger' | 'nodes' | 'accounts' | 'waiting' | 'inFlight'> {
  return {
    ledger: known({ latest: ledger.latest, lagSeconds: ifKnown(ledger.lagMs, seconds) }),
    nodes: nodes.map(({ rpc, state, latestLedger, heardAgoMs }) =>
      known({ rpc, state, latestLedger, heardSecondsAgo: ifKnown(heardAgoMs, seconds) }),
    ),
    accounts: [...accounts.map(shownAccount), ...(feeBump === undefined ? [] : [shownFeeBump(feeBump)])],
    waiting: { payments: waiting.payments, oldestSeconds: seconds(waiting.oldestMs) },
    inFlight,
  };
}

function shownAccount({
  address,
  state,
  balanceStroops,
  lastUsedAtMs,
}: SchemeState['accounts'][number]): Account {
  return known({ address, state, balanceStroops, lastUsedAt: ifKnown(lastUsedAtMs, isoTime) });
}

function shownFeeBump({ address, isLow, balanceStroops }: NonNullable<SchemeState['feeBump']>): Account {
  const state: Account['state'] = isLow ? 'low' : 'paying';
  return known({ address, state, balanceStroops });
}

const ifKnown = <From, To>(value: From | undefined, to: (value: From) => To): To | undefined =>
  value === undefined ? undefined : to(value);
const isoTime = (ms: number): string => new Date(ms).toISOString();
const seconds = (ms: number): number => Math.round(ms / 100) / 10;
