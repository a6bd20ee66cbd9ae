import { describe, expect, onTestFinished, test } from 'vitest';
import { AUDIT_LIMITS, auditPayments } from '../../src/cli/payments/audit.ts';
import { operatorDocument } from '../../src/contract/index.ts';
import { storeInFile, STORES } from '../callers/stores.ts';
import { AMOUNT, USDC } from '../support/payments.ts';
import { openSandbox } from '../support/sandbox.ts';
import { settlementsOn } from '../support/serviceSettlements.ts';
import { useStage } from '../support/serviceStage.ts';
import { during, linesOf, openWorld, runPayments } from './support.ts';

const stage = useStage({ withFeeBump: true });

interface Differing {
  hash: string;
  differences: { fact: string; journal: unknown; ledger: unknown }[];
}

/** Changes of a row, the fact that they change, and what journal and ledger then say of it. */
const TAMPERED: [change: string, fact: string, journal: unknown, ledger: unknown][] = [
  ["status = 'failed'", 'status', 'failed', 'settled'],
  ["status = 'rejected'", 'status', 'rejected', 'settled'],
  ["status = 'never'", 'status', 'expired', 'settled'],
  ["status = 'forgotten'", 'status', 'forgotten', 'settled'],
  ['ledger = 1', 'ledger', 1, expect.any(Number)],
  ['closed_at = closed_at - 3600', 'closedAt', expect.any(String), expect.any(String)],
  ['fee_charged_stroops = 1', 'feeStroops', 1, expect.any(Number)],
  ["amount = '1'", 'amount', '1', String(AMOUNT)],
  ["payer = 'GX'", 'payer', 'GX', expect.stringMatching(/^G/)],
  ["pay_to = 'GX'", 'payTo', 'GX', expect.stringMatching(/^G/)],
  ["asset = 'CX'", 'asset', 'CX', USDC],
];

const summaryOf = (stdout: string): object =>
  linesOf<{ summary?: object }>(stdout).find(({ summary }) => summary !== undefined)!.summary!;

describe.each(STORES)('payments in %s', (_store, openStore) => {
  const open = async () => openWorld(stage, await openStore());

  test('are shown while the service runs, newest first', async () => {
    const world = await open();
    const [first, second] = [await world.settle(), await world.settle()];
    const shown = await world.list();
    expect(shown.map(({ hash }) => hash)).toEqual([second.hash, first.hash]);
    const { ledger, feeCharged } = settlementsOn(stage).settlement(first.hash);
    expect(shown[1]).toMatchObject({
      status: 'settled',
      payer: first.payment.payer,
      payTo: first.payment.payTo,
      amount: String(AMOUNT),
      asset: USDC,
      resource: 'https://seller.test/weather',
      caller: 'anonymous',
      ledger,
      feeStroops: Number(feeCharged),
      sentAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    });
    const { stdout } = await world.run();
    expect(stdout).toMatch(/^SENT \(UTC\) +STATUS +AMOUNT/);
    expect(stdout).toMatch(/settled +0\.01 USDC +G\w{55} → G\w{55} +[0-9a-f]{64} +\d+ +\d+ +https:/);
    const csv = (await world.run('--csv')).stdout.split('\r\n');
    expect([csv.length, csv[0]]).toEqual([4, expect.stringMatching(/^hash,status,payer/)]);
  });

  test('are filtered', async () => {
    const world = await open();
    const [first, second] = [await world.settle(), await world.settle()];
    await world.tamper("status = 'failed', code = 'some_code'", first.hash);
    const hashesOf = async (...args: string[]) => (await world.list(...args)).map(({ hash }) => hash);
    expect(await hashesOf('--payer', first.payment.payer)).toEqual([first.hash]);
    expect(await hashesOf('--payTo', second.payment.payTo)).toEqual([second.hash]);
    expect(await hashesOf('--asset', USDC, '--limit', '1')).toEqual([second.hash]);
    await world.tamper("caller = 'key:0123456789ab'", second.hash);
    expect(await hashesOf('--caller', 'key:0123456789ab')).toEqual([second.hash]);
    expect(await hashesOf('--caller', 'anonymous')).toEqual([first.hash]);
    expect(await hashesOf('--code', 'some_code')).toEqual([first.hash]);
    expect(await hashesOf('--pending')).toEqual([]);
    const statuses = (operatorDocument as any).components.schemas.SettlementStatus.enum as string[];
    for (const status of statuses)
      expect(await hashesOf('--status', status), status).toEqual(
        { settled: [second.hash], failed: [first.hash] }[status] ?? [],
      );
    expect(await hashesOf('--since', '1h')).toHaveLength(2);
    expect(await hashesOf('--until', '1h')).toEqual([]);
  });

  test('are shown one by one, by the beginning of their hash', async () => {
    const world = await open();
    const { hash, payment } = await world.settle();
    for (const given of [hash, hash.slice(0, 8), hash.slice(0, 20).toUpperCase()]) {
      const { code, stdout } = await world.run('show', given);
      expect(code).toBe(0);
      expect(stdout).toContain(`hash        ${hash}\nstatus      settled\npayer       ${payment.payer}\n`);
      expect(stdout).toMatch(new RegExp(`^amount +[\\d.]+ USDC \\(${AMOUNT} base units\\)$`, 'm'));
    }
    const { stdout } = await world.run('show', hash, '--json');
    expect(linesOf(stdout)).toEqual(await world.list());
    const other = hash.startsWith('0') ? '1'.repeat(64) : '0'.repeat(64);
    expect(await world.run('show', other)).toMatchObject({
      code: 1,
      stderr: `the journal has no settlement whose hash begins with ${other}\n`,
    });
  });

  test('agree with the ledger', async () => {
    const world = await open();
    await world.settle();
    await world.settle();
    expect(await world.run('--audit')).toEqual({
      code: 0,
      stdout: '2 settlements: 2 agree with the ledger, 0 differ.\n',
      stderr: '',
    });
    const { code, stdout } = await world.run('--audit', '--json', '--limit', '1');
    expect(code).toBe(0);
    expect(linesOf(stdout)).toEqual([
      { summary: { settlements: 1, agree: 1, differ: 0, tooOld: 0, unchecked: 0, isComplete: true } },
    ]);
  });

  test('that differ from the ledger are listed, with each fact that differs', async () => {
    const world = await open();
    const expected = new Map<string, unknown>();
    for (const [change, fact, journal, ledger] of TAMPERED) {
      const { hash } = await world.settle();
      await world.tamper(change, hash);
      expected.set(hash, [{ fact, journal, ledger }]);
    }
    const { hash } = await world.settle();
    const { code, stdout } = await world.run('--audit', '--json');
    expect(code).toBe(1);
    const lines = linesOf<Differing>(stdout).slice(0, -1);
    expect(new Map(lines.map((line) => [line.hash, line.differences]))).toEqual(expected);
    expect(summaryOf(stdout)).toMatchObject({
      settlements: lines.length + 1,
      agree: 1,
      differ: lines.length,
    });
    await world.tamper('ledger = 1', hash);
    expect((await world.run('--audit', '--limit', '1')).stdout).toMatch(
      new RegExp(
        `^${hash} differs:\n  ledger: 1 in the journal, \\d+ on the ledger\n1 settlement: 0 agree with the ledger, 1 differ`,
      ),
    );
  });

  test('that no ledger holds are listed if the journal says otherwise', async () => {
    const world = await open();
    const { hash } = await world.settle();
    const unknown = 'f'.repeat(64);
    await world.tamper(`hash = '${unknown}'`, hash);
    const { code, stdout } = await world.run('--audit', '--json');
    expect(code).toBe(1);
    expect(linesOf(stdout)[0]).toEqual({
      hash: unknown,
      differences: [{ fact: 'status', journal: 'settled', ledger: 'not found' }],
    });
    await world.tamper("status = 'never'", unknown);
    expect((await world.run('--audit')).code).toBe(0);
  });
});

describe('an audit', () => {
  const openOne = () => openWorld(stage, storeInFile());
  const asked = () => stage.sandbox.calls.counts()['getTransaction'] ?? 0;

  /** Lets a node forget all ledgers before this moment. */
  function forgetHistory(): void {
    const oldestLedgerCloseTime = String(Math.floor(Date.now() / 1000) + 3600);
    during(stage, { kind: 'notFound' });
    during(stage, {
      kind: 'rewrite',
      methods: ['getTransaction'],
      rewrite: (_method, result) => ({ ...result, oldestLedgerCloseTime }),
    });
  }

  test('counts what is older than the history, and calls none of it wrong', async () => {
    const { run, settle } = await openOne();
    for (let nth = 0; nth < 12; nth += 1) await settle();
    forgetHistory();
    stage.sandbox.calls.reset();
    const { code, stdout } = await run('--audit');
    expect(code).toBe(0);
    expect(stdout).toBe(
      '12 settlements: 0 agree with the ledger, 0 differ.\n' +
        '12 settlements: older than the history of the RPC nodes, so they cannot be checked.\n',
    );
    // Once the history is known, nothing older is asked for.
    expect(asked()).toBeLessThan(12);
  });

  test('asks the nodes that answer, and trusts no short history while another node is out of reach', async () => {
    const { environment, settle } = await openOne();
    await settle();
    const RPC_URL = `http://127.0.0.1:1,${stage.sandbox.url}`;
    expect(await runPayments({ ...environment, RPC_URL }, '--audit')).toMatchObject({ code: 0 });
    forgetHistory();
    const { code, stdout } = await runPayments({ ...environment, RPC_URL }, '--audit', '--json');
    expect(code).toBe(1);
    expect(summaryOf(stdout)).toMatchObject({
      ...{ unchecked: 1, tooOld: 0, differ: 0 },
      why: expect.stringContaining('ECONNREFUSED'),
    });
  });

  test('on a network that began afresh judges only what was sent since', async () => {
    const { environment, settle, tamper } = await openOne();
    const [earlier, lately] = [await settle(), await settle()];
    const afresh = await openSandbox();
    onTestFinished(() => afresh.close());
    await tamper('opened_at = opened_at - 60000, closed_at = closed_at - 60', earlier.hash);
    const { code, stdout } = await runPayments({ ...environment, RPC_URL: afresh.url }, '--audit', '--json');
    expect(code).toBe(1);
    expect(linesOf<Differing>(stdout)[0]).toMatchObject({ hash: lately.hash });
    expect(summaryOf(stdout)).toMatchObject({ tooOld: 1, differ: 1 });
  });

  test('asks for a pending one, and leaves the service time to learn its outcome', async () => {
    const { run, settle, tamper } = await openOne();
    const { hash } = await settle();
    await tamper(
      'status = NULL, ended_at = NULL, ledger = NULL, closed_at = NULL, fee_charged_stroops = NULL',
      hash,
    );
    expect(await run('--audit')).toMatchObject({ code: 0 });
    during(stage, {
      kind: 'rewrite',
      methods: ['getTransaction'],
      rewrite: (_method, result) => ({
        ...result,
        latestLedgerCloseTime: String(Number(result['latestLedgerCloseTime']) + 3600),
      }),
    });
    const { code, stdout } = await run('--audit', '--json');
    expect(code).toBe(1);
    expect(linesOf<Differing>(stdout)[0]!.differences).toEqual([
      { fact: 'status', journal: 'pending', ledger: 'settled' },
    ]);
  });

  test('says so if the RPC does not answer, without the key in its URL', async () => {
    const { environment, settle } = await openOne();
    await settle();
    const RPC_URL = 'http://127.0.0.1:1/provider-key-of-20-chars';
    const { code, stdout, stderr } = await runPayments({ ...environment, RPC_URL }, '--audit');
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(
      /^the RPC of RPC_URL does not answer as it should, try again later: .*ECONNREFUSED/,
    );
    expect(stderr).not.toContain('provider-key');
  });

  test('asks again after a fault, and counts what it could not check', async () => {
    const { run, settle } = await openOne();
    await settle();
    during(stage, { kind: 'httpStatus', status: 429, methods: ['getTransaction'], times: 2 });
    expect(await run('--audit')).toMatchObject({ code: 0 });
    during(stage, { kind: 'httpStatus', status: 503, methods: ['getTransaction'] });
    const { code, stdout } = await run('--audit');
    expect(code).toBe(1);
    expect(stdout).toMatch(/^1 settlement: 0 agree .*\n1 settlement: not checked \(.*503.*\)\.\n$/);
  });

  test('tells on stderr how far it has come', async () => {
    const { environment, settle } = await openOne();
    await settle();
    const output = { stdout: '', stderr: '' };
    const write = (text: string) => Promise.resolve((output.stdout += text) !== '');
    const note = (text: string) => void (output.stderr += text);
    const terminal = { say: () => {}, note, write };
    const order = { filters: {}, limit: undefined, json: false };
    const limits = { ...AUDIT_LIMITS, reportEveryMs: 0 };
    expect(await auditPayments(order, { environment, terminal }, limits)).toBe(0);
    expect(output).toEqual({
      stdout: '1 settlement: 1 agree with the ledger, 0 differ.\n',
      stderr: '1 settlement looked up so far, 0 differ …',
    });
  });

  test('refuses an RPC of another network', async () => {
    const { environment } = await openOne();
    const NETWORK = environment['NETWORK'] === 'stellar:pubnet' ? 'stellar:testnet' : 'stellar:pubnet';
    expect(await runPayments({ ...environment, NETWORK }, '--audit')).toMatchObject({
      code: 78,
      stderr: expect.stringMatching(/^RPC_URL belongs to another network than NETWORK/),
    });
  });
});
