import { rpcOrigins } from '../config/config.ts';
import type { Config } from '../config/config.ts';
import type { Handlers } from '../contract/index.ts';
import type { Scheme } from '../scheme/index.ts';

interface Deps {
  scheme: Pick<Scheme, 'kind' | 'submitters' | 'feeBumpAddress'>;
  config: Config;
  /** The port that was bound, which the configuration may leave to the system. */
  boundPort: () => number;
}

/** Ready, and how it is configured: what may be shown of it (specification 2.10). */
export function createGetHealth({ scheme, config, boundPort }: Deps): Handlers['getHealth'] {
  return () => ({
    status: 200,
    body: {
      status: 'ok',
      x402Version: scheme.kind.x402Version,
      network: config.network,
      rpcUrl: rpcOrigins(config),
      submitters: [...scheme.submitters],
      feeBumpAddress: scheme.feeBumpAddress,
      port: boundPort(),
      feeMode: config.feeMode,
      dbPath: config.dbPath,
      maxTransactionFeeStroops: config.fees.ceilingStroops,
    },
  });
}
