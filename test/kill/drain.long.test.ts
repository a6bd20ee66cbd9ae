import { afterAll, beforeAll, expect, test } from 'vitest';
import { SETTLE_LIMITS } from '../../src/scheme/limits.ts';
import { openSandbox, type TestSandbox } from '../support/sandbox.ts';
import { readJournal } from '../world/journal.ts';
import { expectStopped } from './site.ts';
import { NOT_SENT, notKnownYet, openStuckSite } from './stuck.ts';

let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await openSandbox({ ledgerMs: 500 });
});
afterAll(() => sandbox.close());

// drain.test.ts shows the same with a short limit, in process.
test(
  'while no ledger closes, SIGTERM ends it in its time: sellers learn what was sent and what was not',
  { timeout: 90_000 },
  async () => {
    const { site, service, answers, expectLearned } = await openStuckSite(sandbox);
    const stoppedAt = performance.now();
    service.kill('SIGTERM');
    const [first, second] = await answers;
    expect(performance.now() - stoppedAt).toBeGreaterThan(SETTLE_LIMITS.drainMs - 1_000);
    const [row] = readJournal(site.journalPath);
    expect(first).toMatchObject({ status: 'fulfilled', value: { body: notKnownYet(row!.hash) } });
    expect(second).toMatchObject({ status: 'fulfilled', value: { body: NOT_SENT } });
    await expectStopped(service);
    expect(service.logged().filter(({ level }) => level === 'error')).toEqual([]);
    const next = await expectLearned();
    next.kill('SIGTERM');
    await expectStopped(next);
  },
);
