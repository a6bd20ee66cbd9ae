import type { KnownKeys, Policy } from '../callers/index.ts';
import type { Catalog } from '../catalog/index.ts';
import type { Config } from '../config/config.ts';
import type { OperatorSettings } from '../config/operator.ts';
import type { Journal } from '../journal/index.ts';
import type { Log } from '../log/log.ts';
import {
  createChecks,
  createGrowth,
  createOverview,
  createReadiness,
  openOperator,
  type OperatorServer,
  type ReadinessLimits,
} from '../operator/index.ts';
import type { FeeBudgets, Metrics, Sources } from '../operator/metrics/index.ts';
import { VERSION } from '../process/version.ts';
import type { Webhooks } from '../webhooks/index.ts';
import type { Scheme } from '../scheme/index.ts';

export interface OperatedParts extends Omit<Sources, 'readiness'> {
  scheme: Scheme;
  catalog: Catalog;
  journal: Journal;
  keys: KnownKeys;
  policy: Policy;
  metrics: Metrics;
  webhooks: Webhooks | undefined;
}

/** Returns the budgets that are not of one key. */
export const feeBudgetsOf = (callers: Config['callers']): FeeBudgets => ({
  all: callers.serviceFeeBudgetStroops,
  anonymous: callers.anonymousFeeBudgetStroops,
});

interface OperatorPortDeps {
  config: Config;
  token: string | undefined;
  parts: OperatedParts;
  log: Log;
  readinessLimits?: Partial<ReadinessLimits> | undefined;
}

/**
 * Opens the operator's port on the parts of the service. Returns undefined if there is none, or if another program has
 * the port that is the default: payments matter more.
 */
export async function openOperatorPort(deps: OperatorPortDeps): Promise<OperatorServer | undefined> {
  const { config, log } = deps;
  const { operator: place } = config;
  if (place === undefined) return undefined;
  try {
    return await open(deps, place);
  } catch (err) {
    if (place.isPortChosen || (err as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw err;
    log.warn(
      { port: place.port },
      'another program has the operator’s port: this service has none. Set OPERATOR_PORT to another, or to off',
    );
    return undefined;
  }
}

async function open(
  { config, token, parts, log, readinessLimits }: OperatorPortDeps,
  place: OperatorSettings,
): Promise<OperatorServer> {
  const { scheme, catalog, journal, metrics, webhooks } = parts;
  const readiness = createReadiness(createChecks(parts), readinessLimits);
  async function listings(): Promise<number | undefined> {
    await catalog.countListings();
    return catalog.state().listings;
  }
  const growth = createGrowth(listings);
  const overview = createOverview({
    version: VERSION,
    network: config.network,
    readiness,
    scheme: () => scheme.state(),
    journal,
    feeBudgets: feeBudgetsOf(config.callers),
    refusals: metrics.refusals,
    listings,
    growth,
    webhooks,
  });
  const server = await openOperator({
    place,
    token,
    version: VERSION,
    records: journal.records,
    keeper: catalog.keeper,
    webhooks,
    readiness,
    metrics: () => metrics.text({ ...parts, readiness }),
    overview,
    log,
  }).catch((err: unknown) => {
    growth.close();
    throw err;
  });
  return {
    ...server,
    async close() {
      growth.close();
      await server.close();
    },
  };
}
