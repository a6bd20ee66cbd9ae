import { xdr } from '@stellar/stellar-sdk';
import { describe, expect, test, vi } from 'vitest';
import { refusalOf, says, UNHURRIED, type Result } from './kinds.ts';
import { expectRecovery, expectTruth } from './truth.ts';
import { until, useWorlds } from './world.ts';

vi.setConfig({ maxConcurrency: 20, testTimeout: 60_000 });
const openWorld = useWorlds();

const TEN_MINUTES_SECONDS = 600;
const FAR_LEDGERS = 5_000;
const READS = ['simulateTransaction', 'getFeeStats', 'getTransaction'];

const later = (seconds: string) => String(Number(seconds) + TEN_MINUTES_SECONDS);
const isAhead = ({ latestLedger }: Result) => ({ latestLedger: latestLedger + FAR_LEDGERS });
const settled = { success: true };

describe.concurrent('a transaction that a node took, and called rejected, is found on the ledger and paid once:', () => {
  test.for(['txBadSeq', 'txTooLate', 'txInsufficientFee'] as const)(
    '%s',
    async (code, { onTestFinished }) => {
      const world = await openWorld(onTestFinished);
      const refusal = refusalOf(code);
      world.node.faults.add(says('sendTransaction', () => refusal, 1));
      expect(await world.settle(world.payment())).toMatchObject(settled);
      await expectRecovery(world);
    },
  );

  test.for(['txInsufficientBalance', 'txInternalError'] as const)(
    '%s, which no other signature would heal',
    async (code, { onTestFinished }) => {
      const world = await openWorld(onTestFinished, { submitters: 2, settle: { accountRestMs: 100 } });
      const refusal = refusalOf(code);
      world.node.faults.add(says('sendTransaction', () => refusal, 1));
      expect(await world.settle(world.payment())).toMatchObject(settled);
      await expectRecovery(world);
    },
  );

  test('without a reason', async ({ onTestFinished }) => {
    const world = await openWorld(onTestFinished);
    world.node.faults.add(says('sendTransaction', () => ({ status: 'ERROR' }), 1));
    expect(await world.settle(world.payment())).toMatchObject(settled);
    await expectRecovery(world);
  });

  test('txBadSeq by a proxy that asked a second time after the ledger', async ({ onTestFinished }) => {
    const world = await openWorld(onTestFinished);
    const refusal = refusalOf('txBadSeq');
    world.stopLedgers();
    const closing = says(
      'sendTransaction',
      () => {
        world.network.closeLedger();
        return refusal;
      },
      1,
    );
    world.node.faults.add(closing);
    expect(await world.settle(world.payment())).toMatchObject(settled);
    await expectRecovery(world);
  });

  test('txBadSeq by a second node, where the first one lost its answer', async ({ onTestFinished }) => {
    const world = await openWorld(onTestFinished, { nodes: 2 });
    const refusal = refusalOf('txBadSeq');
    world.node.faults.add({ kind: 'lostAnswer', methods: ['sendTransaction'] });
    world.nodes[1]!.faults.add(says('sendTransaction', () => refusal));
    expect(await world.settle(world.payment())).toMatchObject(settled);
    await expectRecovery(world);
  });

  test('TRY_AGAIN_LATER', async ({ onTestFinished }) => {
    const world = await openWorld(onTestFinished);
    world.node.faults.add(says('sendTransaction', () => ({ status: 'TRY_AGAIN_LATER' }), 2));
    expect(await world.settle(world.payment())).toMatchObject(settled);
    await expectRecovery(world);
  });
});

describe.concurrent('an answer about another transaction is not believed:', () => {
  test.for(['SUCCESS', 'FAILED'])('%s', async (status, { onTestFinished }) => {
    const world = await openWorld(onTestFinished);
    world.stopLedgers();
    const foreign = says('getTransaction', () => ({ status, txHash: 'ab'.repeat(32), ledger: 1_000 }), 3);
    world.node.faults.add(foreign);
    const answer = world.settle(world.payment());
    await until('it was told three times', () => !world.node.faults.list().length);
    world.startLedgers();
    expect(await answer).toMatchObject(settled);
    await expectRecovery(world);
  });

  test('a rejection', async ({ onTestFinished }) => {
    const world = await openWorld(onTestFinished);
    const refusal = { ...refusalOf('txTooLate'), hash: 'ab'.repeat(32) };
    world.node.faults.add(says('sendTransaction', () => refusal, 1));
    expect(await world.settle(world.payment())).toMatchObject(settled);
    expect(world.journal()).toHaveLength(1);
    await expectRecovery(world);
  });
});

describe.concurrent('a node that is thousands of ledgers ahead', () => {
  test.for([...READS, 'sendTransaction'])(
    'for one %s outdates no later answer',
    async (method, { onTestFinished }) => {
      const world = await openWorld(onTestFinished);
      world.node.faults.add(says(method, isAhead, 1));
      await world.settle(world.payment());
      await expectRecovery(world);
    },
  );

  test('for ever is left to rest, and the other node carries the payments', async ({ onTestFinished }) => {
    const world = await openWorld(onTestFinished, { nodes: 2 });
    for (const method of [...READS, 'sendTransaction']) world.node.faults.add(says(method, isAhead));
    for (let nth = 0; nth < 3; nth++) {
      expect(await world.verify(world.payment())).toMatchObject({ isValid: true });
      expect(await world.settle(world.payment())).toMatchObject(settled);
    }
    expect(world.logged()).toContain('RPC node rests: it failed several times in a row');
    await expectRecovery(world);
  });

  test('and tells a close time to match never makes a waiting transaction impossible', async ({
    onTestFinished,
  }) => {
    const world = await openWorld(onTestFinished);
    world.stopLedgers();
    const answer = world.settle(world.payment());
    await until('it is sent', () => world.node.calls.counts()['sendTransaction'] === 1);
    const future = ({ latestLedger, latestLedgerCloseTime }: Result) => ({
      latestLedger: latestLedger + FAR_LEDGERS,
      latestLedgerCloseTime: later(latestLedgerCloseTime),
    });
    world.node.faults.add(says('getTransaction', future, 1));
    await until('it was told', () => !world.node.faults.list().length);
    world.startLedgers();
    expect(await answer).toMatchObject(settled);
    await expectRecovery(world);
  });
});

describe.concurrent('a node that is ahead by ledgers that could have closed', () => {
  test('in all its answers ends no transaction before its time', async ({ onTestFinished }) => {
    const world = await openWorld(onTestFinished, { settle: UNHURRIED });
    const slightly = ({ latestLedger }: Result) => ({ latestLedger: latestLedger + 500 });
    for (const method of [...READS, 'sendTransaction']) world.node.faults.add(says(method, slightly));
    world.stopLedgers();
    const answer = world.settle(world.payment());
    await until('it is looked for', () => world.node.calls.counts()['getTransaction']! > 3);
    world.startLedgers();
    expect(await answer).toMatchObject(settled);
  });
});

describe.concurrent('close times that lie ten minutes ahead', () => {
  test('of all answers do not end a transaction before its time', async ({ onTestFinished }) => {
    const world = await openWorld(onTestFinished);
    world.stopLedgers();
    const answer = world.settle(world.payment());
    await until('it is sent', () => world.node.calls.counts()['sendTransaction'] === 1);
    const future = ({ latestLedgerCloseTime }: Result) => ({
      latestLedgerCloseTime: later(latestLedgerCloseTime),
    });
    world.node.faults.add(says('getTransaction', future));
    const { getTransaction: looks = 0 } = world.node.calls.counts();
    await until('it is told some times', () => world.node.calls.counts()['getTransaction']! > looks + 3);
    world.startLedgers();
    expect(await answer).toMatchObject(settled);
    await expectRecovery(world);
  });

  test('in one answer leave no later transaction good for ten minutes', async ({ onTestFinished }) => {
    const world = await openWorld(onTestFinished);
    const future = ({ latestLedgerCloseTime }: Result) => ({
      latestLedgerCloseTime: later(latestLedgerCloseTime),
    });
    world.node.faults.add(says('getTransaction', future, 1));
    expect(await world.settle(world.payment())).toMatchObject(settled);
    expect(await world.settle(world.payment())).toMatchObject(settled);
    world.node.faults.add({ kind: 'sendStatus', status: 'PENDING', times: 1 });
    expect(await world.settle(world.payment())).toMatchObject(settled);
    await expectRecovery(world);
  });
});

describe.concurrent('a node that does not remember', () => {
  const forgetful = ({ latestLedger, latestLedgerCloseTime }: Result) => ({
    oldestLedger: latestLedger,
    oldestLedgerCloseTime: latestLedgerCloseTime,
  });

  test('for one answer ends nothing', async ({ onTestFinished }) => {
    const world = await openWorld(onTestFinished);
    const lost = (result: Result) => ({ status: 'NOT_FOUND', ...forgetful(result) });
    world.node.faults.add(says('getTransaction', lost, 2));
    expect(await world.settle(world.payment())).toMatchObject(settled);
    await expectRecovery(world);
  });

  test('while another does is no witness', async ({ onTestFinished }) => {
    const world = await openWorld(onTestFinished, { nodes: 2, settle: { maxSignatures: 1 } });
    world.node.faults.add({ kind: 'sendStatus', status: 'PENDING' });
    world.node.faults.add(says('getTransaction', forgetful));
    expect((await world.settle(world.payment())).errorMessage).toContain('never will');
    await expectRecovery(world);
  });

  test('and is the only one leaves the end unknown for ever, and its submitter free', async ({
    onTestFinished,
  }) => {
    const world = await openWorld(onTestFinished, { settle: UNHURRIED });
    const lost = (result: Result) => ({ status: 'NOT_FOUND', ...forgetful(result) });
    world.node.faults.add(says('getTransaction', lost));
    const answer = await world.settle(world.payment());
    expect(answer.errorMessage).toContain('no longer remembers whether a ledger took it. Look it up');
    expect(world.journal()[0]!.status).toBe('forgotten');
    await world.mend();
    expect(await world.settle(world.payment())).toMatchObject(settled);
    expect(world.ledger()).toHaveLength(2);
  });
});

describe.concurrent('a node that tells a wrong sequence number', () => {
  test.for([-1, 1])('%i away costs a payment time, and nothing else', async (off, { onTestFinished }) => {
    const world = await openWorld(onTestFinished, {
      before: ([node]) => node!.faults.add(says('getLedgerEntries', (result) => shifted(result, off))),
    });
    world.node.faults.clear();
    await world.settle(world.payment());
    await expectRecovery(world);
  });
});

describe.concurrent('a node of another network', () => {
  test('is not asked, and said in the log', async ({ onTestFinished }) => {
    const world = await openWorld(onTestFinished, {
      nodes: 2,
      before([node]) {
        node!.faults.add(says('getNetwork', () => ({ passphrase: 'Public Global Stellar Network' })));
        for (const method of READS) node!.faults.add(says(method, isAhead));
        node!.faults.add(says('getLedgerEntries', () => ({ entries: [] })));
        node!.faults.add({ kind: 'sendStatus', status: 'ERROR', result: 'txBadAuth' });
      },
    });
    expect(world.logged()).toContain('the RPC node belongs to another network: it is not asked');
    expect(await world.verify(world.payment())).toMatchObject({ isValid: true });
    expect(await world.settle(world.payment())).toMatchObject(settled);
    expect(world.node.calls.counts()['simulateTransaction']).toBeUndefined();
    await expectTruth(world);
  });
});

describe.concurrent('fee statistics without sense do not keep a payment from settling:', () => {
  test.for(['-5', 'NaN', '1e400', '', '999999999999'])('%s', async (fee, { onTestFinished }) => {
    const world = await openWorld(onTestFinished);
    const odd = () => ({
      sorobanInclusionFee: Object.fromEntries([10, 50, 90, 95, 99].map((p) => [`p${p}`, fee])),
    });
    world.node.faults.add(says('getFeeStats', odd));
    expect(await world.settle(world.payment())).toMatchObject(settled);
    await expectRecovery(world);
  });
});

/** The accounts, with other sequence numbers. */
function shifted({ entries }: Result, by: number): Result {
  return {
    entries: (entries as { xdr: string }[]).map((entry) => {
      const { account } = xdr.LedgerEntryData.fromXdr(entry.xdr, 'base64') as { account: xdr.AccountEntry };
      const data = new xdr.AccountEntry({ ...account, seqNum: account.seqNum + BigInt(by) });
      return { ...entry, xdr: xdr.LedgerEntryData.account(data).toXdr('base64') };
    }),
  };
}
