import { Keypair } from '@stellar/stellar-sdk';
import { expect, test } from 'vitest';
import { HIDDEN_VARIABLES, toConfig } from '../../src/config/config.ts';
import { readEnvironment } from '../../src/config/environment.ts';
import { hiddenTexts } from '../../src/config/hiddenTexts.ts';

const SUBMITTER_SECRET = Keypair.fromRawEd25519Seed(Buffer.alloc(32, 1)).secret();
const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' };

const configured = (environment: Record<string, string>) =>
  toConfig(readEnvironment({ SUBMITTER_SECRET, ...environment }));

function accepted(environment: Record<string, string>) {
  const result = configured(environment);
  if ('problems' in result) throw new Error(JSON.stringify(result.problems));
  return result;
}

function problems(environment: Record<string, string>): string[] {
  const result = configured(environment);
  return 'problems' in result ? result.problems.map(({ variable, text }) => `${variable} ${text}`) : [];
}

test('the endpoint of all signals turns tracing on; everything else has the standard’s default', () => {
  expect(accepted(ENDPOINT).config.tracing).toEqual({
    url: 'http://collector:4318/v1/traces',
    resource: { 'service.name': 'stellar-facilitator' },
    sampler: 'parentbased_always_on',
    samplerRatio: 1,
    batches: {
      scheduledDelayMillis: 5_000,
      exportTimeoutMillis: 30_000,
      maxQueueSize: 2_048,
      maxExportBatchSize: 512,
    },
  });
});

test('an endpoint for traces is taken as it is, and goes before', () => {
  const OTEL_EXPORTER_OTLP_TRACES_ENDPOINT = 'https://traces.test/in?key=1';
  const { tracing } = accepted({ ...ENDPOINT, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT }).config;
  expect(tracing?.url).toBe('https://traces.test/in?key=1');
});

test.each([
  { OTEL_SERVICE_NAME: 'payments' },
  { ...ENDPOINT, OTEL_SDK_DISABLED: 'TRUE', OTEL_TRACES_SAMPLER: 'unknown' },
  { OTEL_EXPORTER_OTLP_ENDPOINT: 'no URL', OTEL_TRACES_EXPORTER: 'none' },
])('off, nothing of it is read: %o', (environment) => {
  const { config, secrets } = accepted(environment);
  expect({ ...config, ...secrets }).toMatchObject({ tracing: undefined, tracingHeaders: undefined });
});

test('every variable is read', () => {
  const { config, secrets } = accepted({
    ...ENDPOINT,
    OTEL_SDK_DISABLED: 'false',
    OTEL_TRACES_EXPORTER: 'otlp',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf',
    OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/json',
    OTEL_EXPORTER_OTLP_HEADERS: 'a=1,b=two%2C%3D',
    OTEL_EXPORTER_OTLP_TRACES_HEADERS: ' b = 3=3 ,',
    OTEL_SERVICE_NAME: 'payments',
    OTEL_RESOURCE_ATTRIBUTES: 'service.name=other,zone=eu%20west',
    OTEL_TRACES_SAMPLER: 'traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '.25',
    OTEL_BSP_SCHEDULE_DELAY: '1',
    OTEL_BSP_EXPORT_TIMEOUT: '2',
    OTEL_BSP_MAX_QUEUE_SIZE: '4',
    OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '3',
  });
  expect(config.tracing).toMatchObject({
    resource: { 'service.name': 'payments', zone: 'eu west' },
    sampler: 'traceidratio',
    samplerRatio: 0.25,
    batches: { scheduledDelayMillis: 1, exportTimeoutMillis: 2, maxQueueSize: 4, maxExportBatchSize: 3 },
  });
  expect(secrets.tracingHeaders).toEqual({ a: '1', b: '3=3' });
});

test.each([
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' }, 'OTEL_EXPORTER_OTLP_ENDPOINT'],
  [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'grpc://collector' }, 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'],
  [{ OTEL_TRACES_EXPORTER: 'jaeger' }, 'OTEL_TRACES_EXPORTER'],
  [{ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, 'OTEL_EXPORTER_OTLP_PROTOCOL'],
  [{ OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'grpc' }, 'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL'],
  [{ OTEL_EXPORTER_OTLP_HEADERS: 'secret' }, 'OTEL_EXPORTER_OTLP_HEADERS'],
  [{ OTEL_RESOURCE_ATTRIBUTES: 'a=%E0' }, 'OTEL_RESOURCE_ATTRIBUTES'],
  [{ OTEL_TRACES_SAMPLER: 'xray' }, 'OTEL_TRACES_SAMPLER'],
  [{ OTEL_TRACES_SAMPLER_ARG: '1.5' }, 'OTEL_TRACES_SAMPLER_ARG'],
  [{ OTEL_BSP_SCHEDULE_DELAY: '0' }, 'OTEL_BSP_SCHEDULE_DELAY'],
  [{ OTEL_BSP_MAX_QUEUE_SIZE: '100' }, 'OTEL_BSP_MAX_EXPORT_BATCH_SIZE'],
])('%o is a problem, which does not repeat the value', (environment, variable) => {
  const [problem = '', ...others] = problems({ ...ENDPOINT, ...(environment as Record<string, string>) });
  expect(problem).toMatch(new RegExp(`^${variable} must`));
  expect(problem).not.toContain('secret');
  expect(others).toEqual([]);
});

test('headers leave the environment, and are hidden together with keys in the URL', () => {
  expect(HIDDEN_VARIABLES).toEqual(
    expect.arrayContaining(['OTEL_EXPORTER_OTLP_HEADERS', 'OTEL_EXPORTER_OTLP_TRACES_HEADERS']),
  );
  const { config, secrets } = accepted({
    RPC_URL: 'http://127.0.0.1:1',
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://traces.test/key-in-the-path',
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20token,x=1',
  });
  expect(hiddenTexts(config, secrets)).toEqual(
    expect.arrayContaining(['Bearer token', 'token', 'key-in-the-path']),
  );
  expect(hiddenTexts(config, secrets)).not.toContain('1');
});
