import type { OperatorHandlers, Readiness } from '../../contract/index.ts';
import type { MetricsText } from '../metrics/index.ts';

interface Deps {
  version: string;
  readiness(): Promise<Readiness>;
  metrics(): Promise<MetricsText>;
}

/** Answers an orchestrator and Prometheus. */
export function createProbeHandlers({
  version,
  readiness,
  metrics,
}: Deps): Pick<OperatorHandlers, 'getLive' | 'getReady' | 'getMetrics'> {
  return {
    getLive: () => ({ status: 200, body: { status: 'live', version } }),
    async getReady({ isOperator }) {
      const { ready, checks } = await readiness();
      // The messages name nodes, accounts and disks, and probes that have no token come from anywhere.
      const shown = isOperator ? checks : checks.map(({ name, ok }) => ({ name, ok }));
      return { status: ready ? 200 : 503, body: { ready, checks: shown } };
    },
    async getMetrics() {
      const { contentType, body: text } = await metrics();
      return { status: 200, body: { contentType, text } };
    },
  };
}
