import type { Overview, Readiness } from '../contract/index.ts';
import type { Catalog } from '../catalog/index.ts';
import type { Records } from '../journal/index.ts';
import type { Log } from '../log/log.ts';
import { createAccess } from './access.ts';
import { createOperatorApp } from './app.ts';
import { createListingHandlers } from './handlers/listings.ts';
import { createOverviewHandlers } from './handlers/overview.ts';
import { createProbeHandlers } from './handlers/probes.ts';
import { createSessionHandlers } from './handlers/session.ts';
import { createSettlementHandlers } from './handlers/settlements.ts';
import { withStoreFaults } from './handlers/storeFaults.ts';
import { createWebhookHandlers, type WatchedWebhooks } from './handlers/webhooks.ts';
import { OPERATOR_LIMITS, type OperatorLimits } from './limits.ts';
import type { MetricsText } from './metrics/index.ts';
import { createPages } from './pages.ts';
import { listen, type OperatorServer } from './server.ts';
import { createSessions } from './sessions.ts';

export { createChecks } from './checks.ts';
export { createGrowth } from './growth.ts';
export { createOverview } from './overview.ts';
export { createReadiness, type ReadinessLimits } from './readiness.ts';
export type { OperatorServer } from './server.ts';

export interface OperatorDeps {
  /** Port 0 asks for any free one. */
  place: { readonly host: string; readonly port: number };
  /** Undefined if everybody on this machine may ask. */
  token: string | undefined;
  version: string;
  records: Records;
  keeper: Catalog['keeper'];
  /** Undefined if there are none. */
  webhooks: WatchedWebhooks | undefined;
  readiness(): Promise<Readiness>;
  metrics(): Promise<MetricsText>;
  overview(): Promise<Overview>;
  log: Log;
  limits?: Partial<OperatorLimits>;
}

/** Opens the operator's port. Fails if it cannot be bound. */
export async function openOperator({
  place,
  token,
  records,
  log,
  ...deps
}: OperatorDeps): Promise<OperatorServer> {
  const limits = { ...OPERATOR_LIMITS, ...deps.limits };
  const sessions = createSessions(limits);
  const closing = new AbortController();
  const access = createAccess({ token, sessions });
  const handlers = {
    ...createProbeHandlers(deps),
    ...createSessionHandlers({ sessions, isToken: access.isToken, limits }),
    ...createOverviewHandlers({ overview: deps.overview, closing: closing.signal, limits }),
    ...withStoreFaults(createSettlementHandlers(records, deps.webhooks, limits), log),
    ...withStoreFaults(createWebhookHandlers(deps.webhooks), log),
    ...withStoreFaults(createListingHandlers(deps.keeper), log),
  };
  const app = await createOperatorApp({ handlers, access, pages: createPages(), log, limits });
  const server = await listen(app, place, { log, limits });
  return {
    ...server,
    close() {
      closing.abort();
      return server.close();
    },
  };
}
