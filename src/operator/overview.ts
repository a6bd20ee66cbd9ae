import type { Overview, Readiness } from '../contract/index.ts';
import type { Journal, Records } from '../journal/index.ts';
import type { SchemeState } from '../scheme/index.ts';
import type { Growth } from './growth.ts';
import { shownWebhooks, type WatchedWebhooks } from './handlers/webhooks.ts';

export interface OverviewDeps {
  version: string;
  network: string;
  readiness(): Promise<Readiness>;
  scheme(): SchemeState;
  journal: { readonly records: Pick<Records, 'latestLedgers'> } & Pick<Journal, 'feesToday'>;
  feeBudgetStroops: number | undefined;
  refusals(): Overview['refusals'];
  /** Returns undefined if the catalog does not answer. */
  listings(): Promise<number | undefined>;
  growth: Growth;
  webhooks: Pick<WatchedWebhooks, 'state'> | undefined;
}

const LEDGERS_SHOWN = 60;

/** Returns a function that reads the overview, without what cannot be read. The readiness in it says why. */
export function createOverview(deps: OverviewDeps): () => Promise<Overview> {
  const { version, network, journal, feeBudgetStroops, growth } = deps;
  const startedAt = new Date().toISOString();
  return async () => {
    const [readiness, ledgers, todayStroops = 0, listings, webhooks] = await Promise.all([
      deps.readiness(),
      journal.records.latestLedgers(LEDGERS_SHOWN).catch(() => []),
      journal.feesToday(),
      deps.listings(),
      deps.webhooks && shownWebhooks(deps.webhooks).catch(() => undefined),
    ]);
    return {
      at: new Date().toISOString(),
      version,
      network,
      startedAt,
      readiness,
      ...shownState(deps.scheme()),
      fees: { todayStroops, ...(feeBudgetStroops !== undefined && { budgetStroops: feeBudgetStroops }) },
      ledgers: ledgers.map(({ closedAt, ...total }) => ({ ...total, closedAt: closedAt.toISOString() })),
      refusals: deps.refusals(),
      ...(webhooks && { webhooks }),
      catalog: { ...(listings !== undefined && { listings }), growth: growth.sizes() },
    };
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
    ledger: {
      latest: ledger.latest,
      ...(ledger.lagMs !== undefined && { lagSeconds: seconds(ledger.lagMs) }),
    },
    nodes: nodes.map(({ rpc, state, latestLedger, heardAgoMs }) => ({
      rpc,
      state,
      ...(latestLedger !== undefined && { latestLedger }),
      ...(heardAgoMs !== undefined && { heardSecondsAgo: seconds(heardAgoMs) }),
    })),
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
}: SchemeState['accounts'][number]): Overview['accounts'][number] {
  return {
    address,
    state,
    ...(balanceStroops !== undefined && { balanceStroops }),
    ...(lastUsedAtMs !== undefined && { lastUsedAt: new Date(lastUsedAtMs).toISOString() }),
  };
}

function shownFeeBump({
  address,
  isLow,
  balanceStroops,
}: NonNullable<SchemeState['feeBump']>): Overview['accounts'][number] {
  const state = isLow ? 'low' : 'paying';
  return { address, state, ...(balanceStroops !== undefined && { balanceStroops }) };
}

const seconds = (ms: number): number => Math.round(ms / 100) / 10;
