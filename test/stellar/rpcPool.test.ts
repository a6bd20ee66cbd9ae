import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { RPC_LIMITS } from '../../src/stellar/limits.ts';
import { createRpc } from '../../src/stellar/rpc/pool.ts';

interface Call {
  id: number;
  method: string;
  params: unknown;
}
type Answer = (call: Call, response: ServerResponse) => void;

const result =
  (value: object): Answer =>
  ({ id }, response) =>
    void response.end(JSON.stringify({ jsonrpc: '2.0', id, result: value }));
const status =
  (code: number): Answer =>
  (_call, response) =>
    void response.writeHead(code).end();
const error =
  (code: number): Answer =>
  ({ id }, response) =>
    void response.end(JSON.stringify({ jsonrpc: '2.0', id, error: { code, message: 'no' } }));
const cut: Answer = (_call, response) => void response.end('{"jsonrpc":"2.0","id":1,"resu');
const foreign: Answer = ({ id }, response) => result({ latestLedger: 9 })({ id: id + 1 } as Call, response);
const gone: Answer = (_call, response) => void response.destroy();

/** A node that answers as told, and can be told otherwise. */
async function openNode(answer: Answer) {
  const node = { answer, calls: [] as Call[], url: '' };
  const server = createServer((request, response) => {
    void text(request).then((sent) => {
      const call = JSON.parse(sent) as Call;
      node.calls.push(call);
      node.answer(call, response);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  node.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return node;
}

const callsOf = ({ calls }: { calls: readonly Call[] }, method: string): number =>
  calls.filter((call) => call.method === method).length;

const PASSPHRASE = 'this network';

/** The nodes as one RPC, at a time that the test sets. */
async function open(...answers: Answer[]) {
  const nodes = await Promise.all(answers.map(openNode));
  const lines: string[] = [];
  const say = (_fields: object, message: string) => void lines.push(message);
  const clock = { ms: 1_000_000 };
  const rpc = createRpc(
    nodes.map(({ url }) => url),
    { log: { info: say, warn: say, error: say }, now: () => clock.ms, passphrase: PASSPHRASE },
  );
  onTestFinished(() => rpc.close());
  const [first, second] = nodes as [(typeof nodes)[number], (typeof nodes)[number]];
  return { rpc, first, second, lines, clock };
}

const found: Answer = (call, response) =>
  result(call.method === 'getNetwork' ? { passphrase: PASSPHRASE } : { latestLedger: 9 })(call, response);
const sendAnswer = (status: string): Answer =>
  result({ status, latestLedger: 9, latestLedgerCloseTime: '1780000045' });
const params = { transaction: 'AAAA' };

describe('a read', () => {
  test.each([
    ['is gone', gone],
    ['is busy (429)', status(429)],
    ['has no backend (502)', status(502)],
    ['breaks off', cut],
    ["sends another request's answer", foreign],
    ['has an internal error', error(-32_603)],
    [
      'is overloaded, and says so in place of the result',
      result({ error: 'preflight queue full', latestLedger: 9 }),
    ],
  ])('goes to the next node where the first %s', async (_what, fault) => {
    const { rpc, first, second } = await open(fault, found);
    expect(await rpc.call('simulateTransaction', params)).toEqual({ latestLedger: 9 });
    expect([first.calls.length, second.calls.length]).toEqual([1, 1]);
    expect(second.calls[0]!.params).toEqual(params);
  });

  test(
    'goes to the next node where the first hangs, well before a seller gives up',
    { timeout: 20_000 },
    async () => {
      const { rpc } = await open(() => {}, found);
      expect(await rpc.call('simulateTransaction', params)).toEqual({ latestLedger: 9 });
    },
  );

  test('that one node does not understand is asked of the next: that may be of a newer protocol', async () => {
    const { rpc } = await open(error(-32_602), found);
    expect(await rpc.call('simulateTransaction', params)).toEqual({ latestLedger: 9 });
  });

  test.each([
    ['no node understands', error(-32_602), error(-32_602)],
    ['one node does not understand, and others do not answer', status(502), error(-32_602)],
  ])('that %s is the sender’s fault, and no node rests for it', async (_what, ...answers) => {
    const { rpc, second } = await open(...answers);
    for (let nth = 0; nth < RPC_LIMITS.faultsBeforeRest + 1; nth++)
      await expect(rpc.call('simulateTransaction', params)).rejects.toMatchObject({ code: -32_602 });
    expect(callsOf(second, 'simulateTransaction')).toBe(RPC_LIMITS.faultsBeforeRest + 1);
  });

  test('that no node answers fails with the first fault', async () => {
    const { rpc } = await open(status(502), status(503));
    await expect(rpc.call('simulateTransaction', params)).rejects.toThrow('HTTP status 502');
  });

  test('from a node that is ledgers behind is a fault, and the next node is asked', async () => {
    const { rpc, first } = await open(result({ latestLedger: 100 }), result({ latestLedger: 101 }));
    await rpc.call('simulateTransaction', params);
    first.answer = result({ latestLedger: 100 - RPC_LIMITS.maxLagLedgers - 1 });
    expect(await rpc.call('simulateTransaction', params)).toEqual({ latestLedger: 101 });
  });

  test('from further ahead than ledgers can have closed is a fault, and outdates no other node', async () => {
    const { rpc, first } = await open(result({ latestLedger: 100 }), result({ latestLedger: 101 }));
    await rpc.call('simulateTransaction', params);
    first.answer = result({ latestLedger: 100 + 2 * RPC_LIMITS.maxLeadLedgers });
    for (let nth = 0; nth < 2; nth++)
      expect(await rpc.call('simulateTransaction', params)).toEqual({ latestLedger: 101 });
  });

  test('from that far ahead is believed where another node agrees, and where as many ledgers can have closed', async () => {
    const opened = await open(result({ latestLedger: 100 }), gone);
    const { rpc, first, second, clock } = opened;
    await rpc.call('simulateTransaction', params);
    const ahead = { latestLedger: 100 + 2 * RPC_LIMITS.maxLeadLedgers };
    first.answer = second.answer = result(ahead);
    expect(await rpc.call('simulateTransaction', params)).toEqual(ahead);
    clock.ms += RPC_LIMITS.maxLeadLedgers * RPC_LIMITS.minLedgerMs;
    const later = { latestLedger: ahead.latestLedger + 2 * RPC_LIMITS.maxLeadLedgers };
    first.answer = result(later);
    expect(await rpc.call('simulateTransaction', params)).toEqual(later);
  });

  test('from that far ahead is believed the second time where there is no other node', async () => {
    const { rpc, first } = await open(result({ latestLedger: 100 }));
    await rpc.call('simulateTransaction', params);
    const ahead = { latestLedger: 100 + 2 * RPC_LIMITS.maxLeadLedgers };
    first.answer = result(ahead);
    await expect(rpc.call('simulateTransaction', params)).rejects.toThrow('200 ledgers ahead');
    expect(await rpc.call('simulateTransaction', params)).toEqual(ahead);
  });

  test('from ahead that one answer alone has told is disowned by the true ones after it', async () => {
    const { rpc, first } = await open(result({ latestLedger: 100 }));
    await rpc.call('simulateTransaction', params);
    first.answer = result({ latestLedger: 180 });
    await rpc.call('simulateTransaction', params);
    const truth = { latestLedger: 101 };
    first.answer = result(truth);
    for (let dissents = 0; dissents < RPC_LIMITS.maxDissents; dissents++)
      await expect(rpc.call('simulateTransaction', params)).rejects.toThrow('79 ledgers behind');
    expect(await rpc.call('simulateTransaction', params)).toEqual(truth);
    expect(await rpc.call('simulateTransaction', params)).toEqual(truth);
  });

  test('is believed as long as any node shows the latest ledger, however long none closes', async () => {
    const { rpc, first, clock } = await open(result({ latestLedger: 100 }));
    for (let nth = 0; nth < 3; nth++) {
      await rpc.call('simulateTransaction', params);
      clock.ms += RPC_LIMITS.ledgerMemoryMs - 1;
    }
    first.answer = result({ latestLedger: 5 });
    await expect(rpc.call('simulateTransaction', params)).rejects.toThrow('95 ledgers behind');
  });

  test('from a network that started afresh is believed once nothing newer was seen for long', async () => {
    const { rpc, first, second, clock } = await open(result({ latestLedger: 100 }), gone);
    await rpc.call('simulateTransaction', params);
    first.answer = second.answer = result({ latestLedger: 5 });
    await expect(rpc.call('simulateTransaction', params)).rejects.toThrow('95 ledgers behind');
    clock.ms += RPC_LIMITS.ledgerMemoryMs + 1;
    expect(await rpc.call('simulateTransaction', params)).toEqual({ latestLedger: 5 });
  });
});

describe('a node that stands still, though it answers,', () => {
  const ledger = (latestLedger: number) => result({ latestLedger });

  /** Two nodes, of which the first has answered with the same ledger for too long. */
  async function openStill() {
    const opened = await open(ledger(100), ledger(100));
    await opened.rpc.call('simulateTransaction', params);
    opened.clock.ms += RPC_LIMITS.maxStandstillMs + 1;
    await opened.rpc.call('simulateTransaction', params);
    return opened;
  }

  test('is asked after the others, which is logged', async () => {
    const { rpc, first, second, lines } = await openStill();
    second.answer = ledger(104);
    first.calls.length = 0;
    for (let nth = 0; nth < 3; nth++)
      expect(await rpc.call('simulateTransaction', params)).toEqual({ latestLedger: 104 });
    expect(first.calls).toEqual([]);
    expect(lines.filter((line) => line.includes('is stale'))).toHaveLength(1);
  });

  test('makes no other node look too far ahead, however long it has stood', async () => {
    const { rpc, second } = await openStill();
    second.answer = ledger(50_000);
    expect(await rpc.call('simulateTransaction', params)).toEqual({ latestLedger: 50_000 });
  });

  test('takes turns with others that do: whichever goes on first is asked from then on', async () => {
    const { rpc, first, second, clock } = await openStill();
    await rpc.call('simulateTransaction', params);
    clock.ms += RPC_LIMITS.maxStandstillMs + 1;
    for (let nth = 0; nth < 4; nth++) {
      await rpc.call('simulateTransaction', params);
      clock.ms += 1;
    }
    second.answer = ledger(101);
    const answers = [await rpc.call('simulateTransaction', params)];
    clock.ms += 1;
    answers.push(await rpc.call('simulateTransaction', params));
    first.calls.length = 0;
    expect(answers).toContainEqual({ latestLedger: 101 });
    expect(await rpc.call('simulateTransaction', params)).toEqual({ latestLedger: 101 });
    expect(first.calls).toEqual([]);
  });

  test('is asked first again once its ledgers go on', async () => {
    const { rpc, first, second, clock } = await openStill();
    first.answer = ledger(101);
    second.answer = gone;
    clock.ms += 1;
    expect(await rpc.call('simulateTransaction', params)).toEqual({ latestLedger: 101 });
    second.answer = ledger(101);
    second.calls.length = 0;
    await rpc.call('simulateTransaction', params);
    expect(second.calls).toEqual([]);
  });

  test('is known though its answers alternate with those of a node that lags, behind one address', async () => {
    const { rpc, first, second, clock, lines } = await open(ledger(100), ledger(100));
    for (let nth = 0; nth < 5; nth++) {
      first.answer = ledger(100 - (nth % 2));
      await rpc.call('simulateTransaction', params);
      clock.ms += RPC_LIMITS.maxStandstillMs / 4 + 1;
    }
    await rpc.call('simulateTransaction', params);
    second.answer = ledger(104);
    first.calls.length = 0;
    expect(await rpc.call('simulateTransaction', params)).toEqual({ latestLedger: 104 });
    expect(first.calls).toEqual([]);
    expect(lines.filter((line) => line.includes('is stale'))).toHaveLength(1);
  });

  test('and then shows lower ledgers, on a network that started afresh, stands still no more', async () => {
    const { rpc, first, lines, clock } = await openStill();
    clock.ms += RPC_LIMITS.ledgerMemoryMs + 1;
    first.answer = ledger(5);
    await rpc.callEach('simulateTransaction', params);
    expect(lines.at(-1)).toBe('the ledgers of the RPC node advance again');
  });

  test('is asked like any other where it is alone', async () => {
    const { rpc, clock } = await open(ledger(100));
    for (let nth = 0; nth < 3; nth++) {
      expect(await rpc.call('simulateTransaction', params)).toEqual({ latestLedger: 100 });
      clock.ms += RPC_LIMITS.maxStandstillMs;
    }
  });
});

describe('a submission', () => {
  test('goes to the next node as the same bytes where the first does not answer', async () => {
    const { rpc, second } = await open(status(502), sendAnswer('PENDING'));
    expect(await rpc.call('sendTransaction', params)).toMatchObject({ status: 'PENDING' });
    expect(second.calls[0]!.params).toEqual(params);
  });

  test.each(['ERROR', 'TRY_AGAIN_LATER'])(
    'that a node left unanswered is not known to be rejected by the %s of another',
    async (status_) => {
      const { rpc } = await open(status(502), sendAnswer(status_));
      await expect(rpc.call('sendTransaction', params)).rejects.toThrow('HTTP status 502');
    },
  );

  test('that the first node rejects is shown to no other', async () => {
    const { rpc, second } = await open(sendAnswer('ERROR'), sendAnswer('PENDING'));
    expect(await rpc.call('sendTransaction', params)).toMatchObject({ status: 'ERROR' });
    expect(second.calls).toHaveLength(0);
  });
});

describe('a node that fails several times in a row', () => {
  const ask = async ({ rpc }: Awaited<ReturnType<typeof open>>, times: number) => {
    for (let nth = 0; nth < times; nth += 1) await rpc.call('simulateTransaction', params);
  };

  test('rests and is asked last, which is logged; then it is asked again, and is back', async () => {
    const opened = await open(status(502), found);
    const { first, second, lines, clock } = opened;
    await ask(opened, RPC_LIMITS.faultsBeforeRest + 2);
    expect(first.calls).toHaveLength(RPC_LIMITS.faultsBeforeRest);
    expect(lines).toEqual(['RPC node rests: it failed several times in a row']);
    first.answer = found;
    clock.ms += RPC_LIMITS.minRestMs;
    const answered = second.calls.length;
    await ask(opened, 1);
    expect(second.calls).toHaveLength(answered);
    expect(lines.at(-1)).toBe('RPC node is back');
  });

  test('rests for one method that fails, however well it answers others', async () => {
    const { rpc, first, second } = await open(found, found);
    const honest = first.answer;
    first.answer = (call, response) => (call.method === 'getFeeStats' ? status(502) : honest)(call, response);
    second.answer = result({ latestLedger: 9, sorobanInclusionFee: {} });
    for (let nth = 0; nth < RPC_LIMITS.faultsBeforeRest; nth += 1) {
      await rpc.call('simulateTransaction', params);
      await rpc.call('getFeeStats');
    }
    const calls = first.calls.length;
    await rpc.call('getFeeStats');
    expect(first.calls).toHaveLength(calls);
  });

  test('is back in time though the method that failed is not called again', async () => {
    const { rpc, first, second, lines, clock } = await open(found, found);
    const honest = first.answer;
    first.answer = (call, response) => (call.method === 'getFeeStats' ? status(502) : honest)(call, response);
    second.answer = result({ latestLedger: 9, sorobanInclusionFee: {} });
    for (let nth = 0; nth < RPC_LIMITS.faultsBeforeRest; nth += 1) await rpc.call('getFeeStats');
    clock.ms += 2 * RPC_LIMITS.maxRestMs + 1;
    await rpc.call('simulateTransaction', params);
    expect(lines).toEqual(['RPC node rests: it failed several times in a row', 'RPC node is back']);
  });

  test('is tried by one call when its rest is over, while others pass it by', async () => {
    const opened = await open(status(502), found);
    const { rpc, first, clock } = opened;
    await ask(opened, RPC_LIMITS.faultsBeforeRest);
    first.answer = () => {};
    clock.ms += RPC_LIMITS.minRestMs;
    const before = first.calls.length;
    const trial = rpc.call('simulateTransaction', params);
    await ask(opened, 5);
    expect(first.calls).toHaveLength(before + 1);
    await trial;
  });

  test('rests no longer for calls that were under way together', async () => {
    const opened = await open(status(502), found);
    const { rpc, first, second, clock } = opened;
    await Promise.all(Array.from({ length: 30 }, () => rpc.call('simulateTransaction', params)));
    first.answer = found;
    clock.ms += RPC_LIMITS.minRestMs;
    const answered = second.calls.length;
    await ask(opened, 1);
    expect(second.calls).toHaveLength(answered);
  });

  test('is asked all the same when all others rest too', async () => {
    const { rpc, first, second } = await open(status(502), status(502));
    for (let nth = 0; nth <= RPC_LIMITS.faultsBeforeRest; nth += 1)
      await expect(rpc.call('simulateTransaction', params)).rejects.toThrow();
    expect([first.calls.length, second.calls.length]).toEqual([4, 4]);
  });
});

test('every node can be asked the same', async () => {
  const { rpc } = await open(status(502), found);
  const answers = await rpc.callEach('simulateTransaction', params);
  expect(answers).toEqual([expect.objectContaining({ name: 'RpcFault' }), { latestLedger: 9 }]);
});

describe('a node of another network', () => {
  const of =
    (passphrase: string, ledger: number): Answer =>
    (call, response) =>
      result(call.method === 'getNetwork' ? { passphrase } : { latestLedger: ledger })(call, response);

  test('is not asked any more once it has said so, which is logged', async () => {
    const { rpc, first, lines } = await open(of('another', 9_000_000), of(PASSPHRASE, 9));
    await rpc.callEach('getNetwork');
    expect(lines).toEqual(['the RPC node belongs to another network: it is not asked']);
    const asked = first.calls.length;
    expect(await rpc.call('simulateTransaction', params)).toEqual({ latestLedger: 9 });
    expect(first.calls).toHaveLength(asked);
  });

  test('leaves nothing behind of the ledgers that it showed', async () => {
    const { rpc } = await open(of('another', 9_000_000), gone);
    await rpc.call('simulateTransaction', params);
    expect(rpc.clock.latestLedger()).toBe(9_000_000);
    await rpc.callEach('getNetwork');
    expect(rpc.clock.latestLedger()).toBe(0);
  });

  test('leaves nothing behind either by answers that were under way when it said so', async () => {
    const { promise: named, resolve: name } = Promise.withResolvers<void>();
    const late: Answer = (call, response) => {
      const answer = of('another', 9_000_000);
      if (call.method === 'getNetwork') answer(call, response);
      else void named.then(() => answer(call, response));
    };
    const { rpc } = await open(late, of(PASSPHRASE, 9));
    const underWay = rpc.callEach('simulateTransaction', params);
    await rpc.callEach('getNetwork');
    name();
    await underWay;
    expect(rpc.clock.latestLedger()).toBe(0);
  });

  test('that could not say so at first is asked when it answers', async () => {
    const { rpc, first, lines, clock } = await open(gone, gone);
    await rpc.callEach('getNetwork');
    first.answer = of('another', 9_000_000);
    clock.ms += RPC_LIMITS.maxRestMs;
    await rpc.call('simulateTransaction', params);
    await expect.poll(() => lines).toContain('the RPC node belongs to another network: it is not asked');
  });

  test('is not asked either where there is no other', async () => {
    const { rpc } = await open(of('another', 9));
    await rpc.callEach('getNetwork');
    await expect(rpc.call('simulateTransaction', params)).rejects.toThrow(
      'no RPC node belongs to this network',
    );
  });
});

describe('the state of the nodes', () => {
  const states = ({ rpc }: Awaited<ReturnType<typeof open>>) => rpc.nodes().map(({ state }) => state);

  test('is unknown until they have answered, and sound afterwards', async () => {
    const pool = await open(found, found);
    expect(states(pool)).toEqual(['unknown', 'unknown']);
    await pool.rpc.callEach('getNetwork');
    expect(states(pool)).toEqual(['sound', 'sound']);
    await pool.rpc.call('simulateTransaction', params);
    pool.clock.ms += 700;
    expect(pool.rpc.nodes()).toEqual([
      { rpc: pool.first.url, state: 'sound', restMs: 0, latestLedger: 9, heardAgoMs: 700 },
      { rpc: pool.second.url, state: 'sound', restMs: 0, latestLedger: undefined, heardAgoMs: 700 },
    ]);
  });

  test('is resting from the last of several failures until they answer', async () => {
    const pool = await open(gone, found);
    for (let nth = 0; nth < RPC_LIMITS.faultsBeforeRest; nth += 1)
      await pool.rpc.call('simulateTransaction', params);
    expect(states(pool)).toEqual(['resting', 'sound']);
    expect(pool.rpc.nodes()[0]!.restMs).toBe(RPC_LIMITS.minRestMs);
    pool.clock.ms += RPC_LIMITS.minRestMs;
    expect(states(pool)).toEqual(['resting', 'sound']);
    pool.first.answer = found;
    await pool.rpc.call('simulateTransaction', params);
    expect(states(pool)).toEqual(['sound', 'sound']);
  });

  test('is stale while their ledgers do not advance, and foreign on another network', async () => {
    const pool = await open(found, result({ passphrase: 'another network' }));
    await pool.rpc.call('simulateTransaction', params);
    await pool.rpc.callEach('getNetwork');
    pool.clock.ms += RPC_LIMITS.maxStandstillMs + 1;
    await pool.rpc.call('simulateTransaction', params);
    expect(states(pool)).toEqual(['stale', 'foreign']);
  });
});
