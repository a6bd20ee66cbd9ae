import type { Config, Secrets } from '../config/config.ts';
import { hiddenTexts } from '../config/hiddenTexts.ts';
import type { Log } from '../log/log.ts';
import type { Tracing } from '../tracing/index.ts';

/** The parts use this much of tracing. */
export interface OpenTracing {
  /** Shows what the parts do; undefined if tracing is off. */
  readonly tracer: Tracing | undefined;
  /** Names the trace in what is logged for a request. */
  readonly log: Log;
  close(): Promise<void>;
}

/** Opens tracing if it is on. Only then does it load the libraries, which take time and memory. */
export async function openTracing(config: Config, secrets: Secrets, log: Log): Promise<OpenTracing> {
  const { tracing: settings } = config;
  if (settings === undefined) return { tracer: undefined, log, close: async () => {} };
  const { openTracing: open } = await import('../tracing/index.ts');
  const { tracingHeaders: headers = {} } = secrets;
  const tracer = open({ settings, headers, hidden: hiddenTexts(config, secrets), log });
  return { tracer, log: tracer.traced(log), close: () => tracer.close() };
}
