/** This service, as it runs in production but for the log, which the peer does not write either. */
import { join } from 'node:path';
import { DEFAULT_FEES, DEFAULT_NEW_LISTINGS_PER_HOUR } from '../../src/config/config.ts';
import { DEFAULT_POLICY } from '../../src/config/policy.ts';
import { createLog } from '../../src/log/log.ts';
import { openService } from '../../src/service.ts';
import { serveMeasured } from './child.ts';

serveMeasured(async ({ rpcUrl, submitterSecrets, databaseUrl, folder }) => {
  const service = await openService({
    config: {
      network: 'stellar:testnet',
      rpcUrls: [rpcUrl],
      port: 0,
      dbPath: join(folder, 'catalog.db'),
      feeMode: 'free',
      fees: DEFAULT_FEES,
      policy: DEFAULT_POLICY,
      newListingsPerHour: DEFAULT_NEW_LISTINGS_PER_HOUR,
    },
    secrets: { submitterSecrets, feeBumpSecret: undefined, databaseUrl },
    log: createLog([], { write: () => {} }),
  });
  return service.port;
});
