/** This service, as it runs in production but for the log, which the peer does not write either. */
import { join } from 'node:path';
import { DEFAULT_FEES, DEFAULT_NEW_LISTINGS_PER_HOUR } from '../../src/config/config.ts';
import { DEFAULT_CALLERS } from '../../src/config/callers.ts';
import { DEFAULT_POLICY } from '../../src/config/policy.ts';
import { readTracing, type TracingSettings } from '../../src/config/tracing.ts';
import { createLog } from '../../src/log/log.ts';
import { openService } from '../../src/service.ts';
import { serveMeasured } from './child.ts';

serveMeasured(async ({ rpcUrl, submitterSecrets, databaseUrl, folder, hasMetrics, ...setup }) => {
  const service = await openService({
    config: {
      network: 'stellar:testnet',
      rpcUrls: [rpcUrl],
      port: 0,
      dbPath: join(folder, 'catalog.db'),
      feeMode: 'free',
      fees: DEFAULT_FEES,
      policy: DEFAULT_POLICY,
      callers: DEFAULT_CALLERS,
      newListingsPerHour: DEFAULT_NEW_LISTINGS_PER_HOUR,
      ...(hasMetrics && { operator: { host: '127.0.0.1', port: 0, isPortChosen: true } }),
      settlementsKept: setup.settlementsKept,
      tracing: setup.collectorUrl === undefined ? undefined : tracingTo(setup.collectorUrl),
    },
    secrets: { submitterSecrets, feeBumpSecret: undefined, databaseUrl },
    log: createLog([], { write: () => {} }),
  });
  return { port: service.port, operatorPort: service.operatorPort };
});

/** With the settings of an operator who sets nothing but the collector. */
function tracingTo(url: string): TracingSettings | undefined {
  return readTracing({ OTEL_EXPORTER_OTLP_ENDPOINT: url }, (variable, problem) => {
    throw new Error(`${variable} ${problem}`);
  });
}
