import { rpcOrigins, type Config } from '../config/config.ts';
import type { Handlers } from '../contract/index.ts';
import type { Scheme } from '../scheme/index.ts';

interface Deps {
  scheme: Pick<Scheme, 'kind' | 'submitters' | 'feeBumpAddress'>;
  config: Config;
  version: string;
  /** Returns the bound port, which the configuration may leave to the system. */
  boundPort: () => number;
}

/** Reports that the service is ready, and the public part of its configuration. */
export function createGetHealth({ scheme, config, version, boundPort }: Deps): Handlers['getHealth'] {
  return () => ({
    status: 200,
    body: {
      status: 'ok',
      x402Version: scheme.kind.x402Version,
      network: config.network,
      rpcUrl: rpcOrigins(config),
      submitters: [...scheme.submitters],
      feeBumpAddress: scheme.feeBumpAddress ?? null,
      port: boundPort(),
      feeMode: config.feeMode,
      dbPath: config.dbPath,
      maxTransactionFeeStroops: config.fees.ceilingStroops,
      version,
    },
  });
}
