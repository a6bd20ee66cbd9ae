import { DEFAULT_FEES } from '../../src/config.ts';
/** This service, as it runs in production but for the log, which the peer does not write either. */
import { createLog } from '../../src/log.ts';
import { openService } from '../../src/service.ts';
import { serveFor } from './child.ts';

serveFor(async ({ rpcUrl, submitterSecrets }) => {
  const service = await openService({
    config: {
      network: 'stellar:testnet',
      rpcUrls: [rpcUrl],
      port: 0,
      dbPath: ':memory:',
      feeMode: 'free',
      fees: DEFAULT_FEES,
    },
    secrets: { submitterSecrets, feeBumpSecret: null },
    log: createLog([], { write: () => {} }),
  });
  return service.port;
});
