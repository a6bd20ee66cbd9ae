import { expect, onTestFinished, test } from 'vitest';
import { SILENT_LOG } from '../../src/log/log.ts';
import { openTracing } from '../../src/tracing/index.ts';
import { requestFor, requirementsFor, signTransfer } from '../support/payments.ts';
import { openSandbox } from '../support/sandbox.ts';
import { openScheme } from '../support/service.ts';
import { startCollector } from './collector.ts';

test('a settlement that is answered before its outcome ends its spans with the outcome', async () => {
  const collector = await startCollector();
  const tracer = openTracing({
    settings: {
      url: collector.url,
      resource: {},
      sampler: 'always_on',
      samplerRatio: 1,
      batches: {
        scheduledDelayMillis: 10,
        exportTimeoutMillis: 5_000,
        maxQueueSize: 100,
        maxExportBatchSize: 50,
      },
    },
    headers: {},
    hidden: [],
    log: SILENT_LOG,
  });
  const sandbox = await openSandbox();
  const scheme = openScheme({
    rpcUrl: sandbox.url,
    submitters: [sandbox.submitter()],
    parts: { tracer, limits: { answerWithinMs: 500 } },
  });
  onTestFinished(async () => {
    await scheme.close();
    await sandbox.close();
    await tracer.close();
  });
  await scheme.open();
  const requirements = requirementsFor(sandbox.account(0n).publicKey());
  const key = sandbox.account();
  const expiration = sandbox.expirationIn(requirements.maxTimeoutSeconds);
  const transfer = signTransfer({ key, requirements, expiration, nonce: sandbox.nonce() });

  sandbox.stopLedgers();
  const request = {
    requestId: 'late',
    method: 'POST',
    path: '/settle',
    route: '/settle',
    callerSpan: undefined,
  };
  await tracer.request(request, async () => {
    const { success } = await scheme.settle(requestFor(requirements, transfer));
    expect(success).toBe(false);
    return { status: 200 };
  });
  const answered = await collector.span(({ name }) => name === 'POST /settle');
  expect(collector.spans().map(({ name }) => name)).not.toContain('settlement');
  sandbox.faults.clear();
  const settlement = await collector.span(({ name }) => name === 'settlement');
  expect(settlement).toMatchObject({
    parentSpanId: answered.spanId,
    attributes: { 'x402.outcome': 'applied' },
  });
  const waiting = await collector.span(({ name }) => name === 'wait for the ledger');
  expect(waiting.parentSpanId).toBe(settlement.spanId);
});
