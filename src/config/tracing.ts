import type { Environment, Variable } from './environment.ts';
import { wholeNumber, type Report } from './values.ts';

const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

type SamplerName = (typeof SAMPLERS)[number];

/** Says which spans are sent, and where to, from the standard OTEL_… variables that this service reads itself. */
export interface TracingSettings {
  /** The collector's URL for traces. Its path, query or user info may hold a key: show only the origin. */
  readonly url: string;
  /** Attributes of the process, `service.name` among them. */
  readonly resource: Readonly<Record<string, string>>;
  readonly sampler: SamplerName;
  /** The share of traces that the samplers by ratio keep, from 0 to 1. */
  readonly samplerRatio: number;
  readonly batches: {
    readonly scheduledDelayMillis: number;
    readonly exportTimeoutMillis: number;
    readonly maxQueueSize: number;
    readonly maxExportBatchSize: number;
  };
}

const DEFAULT_SERVICE_NAME = 'stellar-facilitator';
const TRACES_PATH = 'v1/traces';

/** Returns the settings of tracing; undefined if it is off, and its variables are then ignored. */
export function readTracing(environment: Environment, report: Report): TracingSettings | undefined {
  const { OTEL_SDK_DISABLED: disabled, OTEL_TRACES_EXPORTER: exporter = 'otlp' } = environment;
  if (disabled?.toLowerCase() === 'true' || exporter === 'none') return undefined;
  const url = readUrl(environment, report);
  if (url === undefined) return undefined;
  if (exporter !== 'otlp') report('OTEL_TRACES_EXPORTER', 'must be otlp or none');
  checkProtocol(environment, report);
  const { OTEL_SERVICE_NAME: name } = environment;
  return {
    url,
    resource: {
      'service.name': DEFAULT_SERVICE_NAME,
      ...readPairs('OTEL_RESOURCE_ATTRIBUTES', environment, report),
      ...(name !== undefined && { 'service.name': name }),
    },
    sampler: readSampler(environment, report),
    samplerRatio: readRatio(environment, report),
    batches: readBatches(environment, report),
  };
}

/** Returns the headers for the collector, which may hold secrets. Headers for traces override those for all signals. */
export function readTracingHeaders(environment: Environment, report: Report): Record<string, string> {
  return {
    ...readPairs('OTEL_EXPORTER_OTLP_HEADERS', environment, report),
    ...readPairs('OTEL_EXPORTER_OTLP_TRACES_HEADERS', environment, report),
  };
}

function readUrl(environment: Environment, report: Report): string | undefined {
  const ofTraces = environment.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT;
  const ofAll = environment.OTEL_EXPORTER_OTLP_ENDPOINT;
  const text = ofTraces ?? ofAll;
  if (text === undefined) return undefined;
  const url = URL.parse(text);
  if (url !== null && /^https?:$/.test(url.protocol)) {
    // The URL for all signals is a base, the one for traces is complete.
    return ofTraces ?? `${text.replace(/\/$/, '')}/${TRACES_PATH}`;
  }
  const variable =
    ofTraces === undefined ? 'OTEL_EXPORTER_OTLP_ENDPOINT' : 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT';
  report(variable, 'must be an absolute http or https URL');
  return text;
}

/** Refuses gRPC: a collector accepts JSON where it accepts Protobuf over HTTP, but not where it accepts gRPC. */
function checkProtocol(environment: Environment, report: Report): void {
  const variables = ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'OTEL_EXPORTER_OTLP_PROTOCOL'] as const;
  const variable = variables.find((name) => environment[name] !== undefined);
  if (variable === undefined || environment[variable]?.startsWith('http/')) return;
  report(variable, 'must be http/json: name an endpoint for OTLP over HTTP (port 4318)');
}

function readSampler({ OTEL_TRACES_SAMPLER: text }: Environment, report: Report): SamplerName {
  const sampler = SAMPLERS.find((name) => name === text);
  if (text !== undefined && sampler === undefined)
    report('OTEL_TRACES_SAMPLER', `must be one of ${SAMPLERS.join(', ')}`);
  return sampler ?? 'parentbased_always_on';
}

function readRatio({ OTEL_TRACES_SAMPLER_ARG: text = '1' }: Environment, report: Report): number {
  const ratio = /^\d*\.?\d+$/.test(text) ? Number(text) : NaN;
  if (ratio >= 0 && ratio <= 1) return ratio;
  report('OTEL_TRACES_SAMPLER_ARG', 'must be a number from 0 to 1');
  return NaN;
}

function readBatches(environment: Environment, report: Report): TracingSettings['batches'] {
  const number = (variable: Variable, absent: number, max: number): number =>
    wholeNumber(environment, variable, { absent, min: 1, max }, report);
  const batches = {
    scheduledDelayMillis: number('OTEL_BSP_SCHEDULE_DELAY', 5_000, 3_600_000),
    exportTimeoutMillis: number('OTEL_BSP_EXPORT_TIMEOUT', 30_000, 3_600_000),
    maxQueueSize: number('OTEL_BSP_MAX_QUEUE_SIZE', 2_048, 100_000),
    maxExportBatchSize: number('OTEL_BSP_MAX_EXPORT_BATCH_SIZE', 512, 100_000),
  };
  if (batches.maxExportBatchSize > batches.maxQueueSize)
    report('OTEL_BSP_MAX_EXPORT_BATCH_SIZE', 'must not be larger than OTEL_BSP_MAX_QUEUE_SIZE');
  return batches;
}

/** Reads `name=value` pairs, comma-separated and percent-encoded. */
function readPairs(variable: Variable, environment: Environment, report: Report): Record<string, string> {
  const entries = (environment[variable] ?? '').split(',').filter((entry) => entry.trim() !== '');
  const pairs = entries.map((entry) => /^\s*([^=\s]+)\s*=\s*(.*?)\s*$/.exec(entry));
  try {
    return Object.fromEntries(
      pairs.map((pair) => [decodeURIComponent(pair![1]!), decodeURIComponent(pair![2]!)]),
    );
  } catch {
    report(variable, 'must be name=value pairs, comma-separated, with % written as %25');
    return {};
  }
}
