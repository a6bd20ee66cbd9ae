import { globSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../catalog/temporaryFolder.ts';
import { JSON_TYPE, post } from '../http/support.ts';
import { startService, type ServiceProcess } from '../kill/process.ts';
import { requestFor, requirementsFor, signTransfer } from '../support/payments.ts';
import { openSandbox, type TestSandbox } from '../support/sandbox.ts';
import { startCollector, type CollectedSpan, type Collector } from './collector.ts';

const SERVER = 2;
const CLIENT = 3;
const FAILED = 2;
/** Nothing listens there. */
const NOBODY = 'http://127.0.0.1:1';
const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';
const SPAN_ID = 'b7ad6b7169203331';
const TRACEPARENT = `00-${TRACE_ID}-${SPAN_ID}-01`;

let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await openSandbox();
});
afterAll(() => sandbox.close());

/** The service as `npm start` runs it, on the sandbox. */
async function start(environment: Record<string, string>): Promise<ServiceProcess & { at: string }> {
  const service = startService({
    SUBMITTER_SECRET: sandbox.submitter().secret(),
    RPC_URL: sandbox.url,
    DB_PATH: ':memory:',
    OTEL_BSP_SCHEDULE_DELAY: '20',
    ...environment,
  });
  return { ...service, at: await service.url };
}

function payment(): string {
  const requirements = requirementsFor(sandbox.account(0n).publicKey());
  const key = sandbox.account();
  const expiration = sandbox.expirationIn(requirements.maxTimeoutSeconds);
  const transfer = signTransfer({ key, requirements, expiration, nonce: sandbox.nonce() });
  return JSON.stringify(requestFor(requirements, transfer));
}

const ofServer = ({ kind }: CollectedSpan): boolean => kind === SERVER;

/** Each span below `parent` with those below it, in no order. */
type Tree = { [name: string]: Tree };
function treeBelow(collector: Collector, parent: CollectedSpan): Tree {
  const below = collector.spans().filter(({ parentSpanId }) => parentSpanId === parent.spanId);
  return Object.fromEntries(below.map((span) => [span.name, treeBelow(collector, span)]));
}

describe('a settlement', () => {
  test('is a tree of spans from the request over its phases to the RPC calls', async () => {
    const collector = await startCollector();
    const { at, logged, kill, ended } = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
    const headers = { ...JSON_TYPE, traceparent: TRACEPARENT, 'x-request-id': 'order-7' };
    const { body } = await post(`${at}/settle`, payment(), headers);
    const { transaction, payer } = body as { transaction: string; payer: string };
    expect(transaction).not.toBe('');
    const request = await collector.span(ofServer);
    expect(request).toMatchObject({
      name: 'POST /settle',
      traceId: TRACE_ID,
      parentSpanId: SPAN_ID,
      attributes: {
        'http.request.method': 'POST',
        'http.route': '/settle',
        'url.scheme': 'http',
        'url.path': '/settle',
        'http.response.status_code': 200,
        'x402.request_id': 'order-7',
        'x402.transaction': transaction,
        'x402.payer': payer,
      },
      resource: { 'service.name': 'stellar-facilitator' },
    });
    // It may ask for more, such as the fees of the latest ledger.
    expect(treeBelow(collector, request)).toMatchObject({
      settlement: {
        verify: { simulateTransaction: {} },
        sign: {},
        send: { sendTransaction: {} },
        'wait for the ledger': { getTransaction: {} },
      },
    });
    const settlement = collector.spans().find(({ name }) => name === 'settlement');
    expect(settlement?.attributes).toMatchObject({
      'x402.transaction': transaction,
      'x402.outcome': 'applied',
    });
    kill('SIGTERM');
    await ended;
    const ofTrace = logged().filter(({ traceId }) => traceId === TRACE_ID);
    expect(ofTrace.map(({ msg }) => msg)).toEqual(['settlement ended', 'request']);
    expect(ofTrace.at(-1)).toMatchObject({ requestId: 'order-7' });
  });
});

describe('a verification', () => {
  test('shows each call of the RPC with its node and its fault', async () => {
    const collector = await startCollector();
    const { at } = await start({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/mine` });
    await post(`${at}/verify`, payment());
    sandbox.faults.add({ kind: 'httpStatus', status: 500, methods: ['simulateTransaction'], times: 1 });
    await post(`${at}/verify`, payment());
    const isFailed = ({ status }: CollectedSpan): boolean => status.code === FAILED;
    const call = {
      name: 'simulateTransaction',
      kind: CLIENT,
      parentSpanId: expect.any(String),
      attributes: {
        'rpc.system.name': 'jsonrpc',
        'rpc.method': 'simulateTransaction',
        'server.address': '127.0.0.1',
        'server.port': Number(new URL(sandbox.url).port),
      },
    };
    expect(await collector.span((span) => span.kind === CLIENT && !isFailed(span))).toMatchObject(call);
    expect(await collector.span((span) => span.kind === CLIENT && isFailed(span))).toMatchObject({
      ...call,
      attributes: { ...call.attributes, 'error.type': 'RpcFault' },
      status: { message: expect.stringContaining('HTTP status 500') },
    });
    expect(new Set(collector.requests().map(({ path }) => path))).toEqual(new Set(['/mine']));
  });

  test('begins a trace of its own if the caller names none that can be read', async () => {
    const collector = await startCollector();
    const { at } = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
    await post(`${at}/verify`, '{}', { ...JSON_TYPE, traceparent: `${TRACEPARENT}-more` });
    const request = await collector.span(ofServer);
    expect(request.traceId).not.toBe(TRACE_ID);
    expect(request.parentSpanId).toBeUndefined();
    expect(request.attributes).toMatchObject({
      'http.response.status_code': 400,
      'x402.code': 'svc_missing_payment_payload',
    });
  });
});

test('a request that no route takes is named by its method only', async () => {
  const collector = await startCollector();
  const { at } = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
  await fetch(`${at}/${'a'.repeat(2_000)}`, { method: 'PROPFIND' });
  const request = await collector.span(ofServer);
  expect(request.name).toBe('HTTP');
  expect(request.attributes).not.toHaveProperty('http.route');
  expect(String(request.attributes['url.path']).length).toBeLessThanOrEqual(256);
});

describe('the standard variables', () => {
  test('name the process, choose what is sampled, and let the caller decide', async () => {
    const collector = await startCollector();
    const { at } = await start({
      OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/`,
      OTEL_SERVICE_NAME: 'payments',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=a%2Cb,service.name=other',
      OTEL_TRACES_SAMPLER: 'parentbased_always_off',
    });
    await post(`${at}/verify`, '{}');
    await post(`${at}/verify`, '{}', { ...JSON_TYPE, traceparent: `00-${TRACE_ID}-${SPAN_ID}-00` });
    await post(`${at}/settle`, '{}', { ...JSON_TYPE, traceparent: TRACEPARENT });
    const request = await collector.span(ofServer);
    expect(request).toMatchObject({
      name: 'POST /settle',
      resource: { 'service.name': 'payments', 'deployment.environment.name': 'a,b' },
    });
    expect(collector.spans()).toHaveLength(1);
  });

  test('give the collector headers, which nothing else shows', async () => {
    const collector = await startCollector();
    const folder = temporaryFolder();
    const { at, kill, ended } = await start({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20collector-secret,x-all=1',
      OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'x-traces=2',
      NODE_OPTIONS: `--report-on-signal --report-directory=${folder}`,
    });
    await post(`${at}/verify`, '{}');
    await collector.span(ofServer);
    expect(collector.requests()[0]?.headers).toMatchObject({
      authorization: 'Bearer collector-secret',
      'x-all': '1',
      'x-traces': '2',
    });
    kill('SIGUSR2');
    await expect.poll(() => globSync(`${folder}/report.*.json`)).toHaveLength(1);
    const [report] = globSync(`${folder}/report.*.json`);
    kill('SIGTERM');
    const { lines, stderr } = await ended;
    expect(readFileSync(report!, 'utf8') + lines.join() + stderr).not.toContain('collector-secret');
  });
});

describe('a collector that', () => {
  test('is gone holds nothing up, and the log says so once', async () => {
    const { at, logged, line, kill, ended } = await start({
      OTEL_EXPORTER_OTLP_ENDPOINT: NOBODY,
      OTEL_EXPORTER_OTLP_TIMEOUT: '100',
    });
    await post(`${at}/verify`, payment());
    await line(/spans are lost/);
    await post(`${at}/verify`, '{}');
    kill('SIGTERM');
    expect(await ended).toMatchObject({ code: 0, stderr: '' });
    const lost = logged().filter(({ msg }) => String(msg).startsWith('spans are lost'));
    expect(lost).toMatchObject([{ level: 'warn', spans: expect.any(Number) }]);
  });

  test('never answers keeps neither a request nor the end of the process', async () => {
    const collector = await startCollector({ silent: true });
    const { at, line, kill, ended } = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
    expect(await post(`${at}/verify`, payment())).toMatchObject({ status: 200 });
    await expect.poll(() => collector.requests().length).toBeGreaterThan(0);
    kill('SIGTERM');
    await line(/"stopped"/);
    expect(await ended).toMatchObject({ code: 0 });
  });
});

describe('without a collector, or turned off,', () => {
  /** Says on stderr if the file with OpenTelemetry is loaded. */
  const hooks = `import { registerHooks } from 'node:module';
    registerHooks({ load(url, context, next) {
      if (/service-opentelemetry/.test(url)) process.stderr.write(url + '\\n');
      return next(url, context);
    } });`;
  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(hooks)}`;

  test.each([
    {},
    { OTEL_EXPORTER_OTLP_ENDPOINT: '', OTEL_SERVICE_NAME: 'payments' },
    { OTEL_SDK_DISABLED: 'true' },
    { OTEL_TRACES_EXPORTER: 'none' },
  ] as Record<string, string>[])('nothing is sent, and no library loaded: %o', async (environment) => {
    const collector = await startCollector();
    const isSet = Object.keys(environment).some((name) => /DISABLED|EXPORTER$/.test(name));
    const { at, kill, ended, logged } = await start({
      ...(isSet && { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }),
      ...environment,
      NODE_OPTIONS,
    });
    await post(`${at}/verify`, payment(), { ...JSON_TYPE, traceparent: TRACEPARENT });
    kill('SIGTERM');
    expect(await ended).toMatchObject({ code: 0, stderr: '' });
    expect(collector.requests()).toEqual([]);
    expect(JSON.stringify(logged())).not.toContain('traceId');
  });

  test('and turned on, the libraries are loaded', async () => {
    const { kill, ended } = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: NOBODY, NODE_OPTIONS });
    kill('SIGTERM');
    expect((await ended).stderr).toContain('service-opentelemetry');
  });
});
