import type { RpcObserver } from '../../stellar/rpc/observer.ts';
import { seconds, type Instruments } from './instruments.ts';

const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Counts the calls to each node of the RPC. */
export function createRpcMetrics({ counter, histogram }: Instruments): RpcObserver {
  const durations = histogram(
    'rpc_duration_seconds',
    'Duration of RPC calls that were answered, by node and method.',
    BUCKETS,
    ['node', 'method'],
  );
  const faults = counter(
    'rpc_faults_total',
    'RPC calls without a good answer, by node, method and kind: timeout, connection, status, error, answer, ledger, network; request if the payment itself cannot be read.',
    ['node', 'method', 'kind'],
  );
  return {
    called(node, method, ms, kind) {
      if (kind === undefined) durations.observe({ node, method }, seconds(ms));
      else faults.inc({ node, method, kind });
    },
  };
}
