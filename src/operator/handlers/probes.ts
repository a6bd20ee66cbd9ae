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
    async getReady() {
      const body = await readiness();
      return { status: body.ready ? 200 : 503, body };
    },
    async getMetrics() {
      const { contentType, body: text } = await metrics();
      return { status: 200, body: { contentType, text } };
    },
  };
}
