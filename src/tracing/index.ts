/** Tracing with OpenTelemetry. Nothing may load this while tracing is off. */
import { diag, DiagLogLevel } from '@opentelemetry/api';
import { TracerProvider, type TracerProviderOptions } from '@opentelemetry/sdk-trace';
import type { TracingSettings } from '../config/tracing.ts';
import { withoutHidden, type Log } from '../log/log.ts';
import { createExporting } from './exporter.ts';
import { createExportLog } from './exportLog.ts';
import { TRACING_LIMITS } from './limits.ts';
import { createSampler } from './sampler.ts';
import { createServiceTracer, type ServiceTracer } from './tracer.ts';

const { maxTextChars, logEveryMs, closeWithinMs } = TRACING_LIMITS;

export interface Tracing extends ServiceTracer {
  /** Sends what is left, within a limit. Never throws. */
  close(): Promise<void>;
}

export interface TracingDeps {
  settings: TracingSettings;
  /** Sent to the collector. */
  headers: Readonly<Record<string, string>>;
  /** Texts that must not be shown. */
  hidden: readonly string[];
  log: Log;
}

export function openTracing({ settings, headers, hidden, log }: TracingDeps): Tracing {
  const shown = (text: string): string => withoutHidden(text, hidden).slice(0, maxTextChars);
  const exportLog = createExportLog(log, { everyMs: logEveryMs, now: () => performance.now() });
  passOnWarnings((text) => exportLog.warn(shown(text)));
  const provider = new TracerProvider({
    resource: resourceOf(settings.resource),
    sampler: createSampler(settings),
    spanLimits: { attributeValueLengthLimit: maxTextChars },
    spanProcessors: [createExporting(settings, headers, exportLog)],
  });
  return {
    ...createServiceTracer(provider.getTracer('stellar-facilitator'), shown),
    async close() {
      const { promise: late, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, closeWithinMs);
      await Promise.race([provider.shutdown().catch(() => {}), late]);
      clearTimeout(timer);
    },
  };
}

/** Returns the attributes of the process in the form that the SDK reads. */
function resourceOf(attributes: TracingSettings['resource']): NonNullable<TracerProviderOptions['resource']> {
  const resource = {
    attributes,
    merge: () => resource,
    getRawAttributes: () => Object.entries(attributes),
  };
  return resource;
}

/** The library warns of wrong settings and of a queue that is full. It has one logger for the whole process. */
function passOnWarnings(warn: (text: string) => void): void {
  const ignore = (): void => {};
  const logger = { warn, error: ignore, info: ignore, debug: ignore, verbose: ignore };
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
}
