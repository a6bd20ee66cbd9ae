import { once } from 'node:events';
import { createServer } from 'node:http';
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createRpc } from '../../src/scheme/index.ts';
import { RPC_LIMITS } from '../../src/scheme/limits.ts';

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

/** The nodes as one RPC, at a time that the test sets. */
async function open(...answers: Answer[]) {
  const nodes = await Promise.all(answers.map(openNode));
  const lines: string[] = [];
  const say = (_fields: object, message: string) => void lines.push(message);
  const clock = { ms: 1_000_000 };
  const rpc = createRpc(
    nodes.map(({ url }) => url),
    { log: { info: say, warn: say, error: say }, now: () => clock.ms },
  );
  onTestFinished(() => rpc.close());
  const [first, second] = nodes as [(typeof nodes)[number], (typeof nodes)[number]];
  return { rpc, first, second, lines, clock };
}

const found = result({ latestLedger: 9 });
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

  test('that no node understands is the sender’s fault: the others are not asked', async () => {
    const { rpc, second } = await open(error(-32_602), found);
    await expect(rpc.call('simulateTransaction', params)).rejects.toMatchObject({ code: -32_602 });
    expect(second.calls).toHaveLength(0);
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

  test('from a network that started afresh is believed once nothing newer was seen for long', async () => {
    const { rpc, first, second, clock } = await open(result({ latestLedger: 100 }), gone);
    await rpc.call('simulateTransaction', params);
    first.answer = second.answer = result({ latestLedger: 5 });
    await expect(rpc.call('simulateTransaction', params)).rejects.toThrow('95 ledgers behind');
    clock.ms += RPC_LIMITS.ledgerMemoryMs + 1;
    expect(await rpc.call('simulateTransaction', params)).toEqual({ latestLedger: 5 });
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
