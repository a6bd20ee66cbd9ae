import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { BatchSpanProcessor, type SpanExporter, type SpanProcessor } from '@opentelemetry/sdk-trace';
import type { TracingSettings } from '../config/tracing.ts';
import type { ExportLog } from './exportLog.ts';

/**
 * Sends ended spans to the collector, in batches. Holds no more spans than fit in its queue and in the
 * batches on their way. The exporter itself reads its timeouts, compression and certificates from the environment.
 */
export function createExporting(
  { url, batches }: Pick<TracingSettings, 'url' | 'batches'>,
  headers: Readonly<Record<string, string>>,
  log: ExportLog,
): SpanProcessor {
  const exporter = new OTLPTraceExporter({ url, headers: { ...headers } });
  const counting: SpanExporter = {
    export(spans, done) {
      exporter.export(spans, (result) => {
        if (result.error === undefined) log.delivered();
        else log.lost(spans.length, result.error);
        done(result);
      });
    },
    forceFlush: () => exporter.forceFlush(),
    shutdown: () => exporter.shutdown(),
  };
  return new BatchSpanProcessor({ exporter: counting, ...batches });
}
