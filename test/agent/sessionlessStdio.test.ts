import { spawn } from 'node:child_process';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createMcpLog } from '../../src/agent/log.ts';
import type { ToolServer } from '../../src/agent/server.ts';
import { serveHost } from '../../src/agent/stdio.ts';
import { childEnvironment } from '../support/childEnvironment.ts';
import { AMOUNT } from '../support/payments.ts';
import { INITIALIZE } from './support/httpTools.ts';
import { openSlowSeller, openSeller, sellHonestly } from './support/seller.ts';
import { requestOf, REVISION } from './support/sessionless.ts';
import { newWallet, useAgentStage } from './support/stage.ts';
import { gate } from './support/waiting.ts';

const stage = useAgentStage();

const spentBy = (address: string): bigint => 10_000_000n - stage.sandbox.usdc(address);

describe('the process on stdio', () => {
  function start(environment: Record<string, string>) {
    const env = { ...childEnvironment, ...environment };
    const child = spawn(process.execPath, ['dist/stellar-facilitator-mcp.js'], { env });
    onTestFinished(() => void child.kill('SIGKILL'));
    let stdout = '';
    child.stdout.on('data', (text: Buffer) => (stdout += text.toString()));
    const exit = new Promise<number | null>((done) => child.on('close', done));
    const send = (message: object) => child.stdin.write(`${JSON.stringify(message)}\n`);
    const answers = (): any[] => stdout.split('\n').flatMap((line) => (line ? [JSON.parse(line)] : []));
    const answerTo = async (id: number): Promise<any> => {
      await expect.poll(() => answers().some((one) => one.id === id)).toBe(true);
      return answers().find((one) => one.id === id);
    };
    return { child, exit, send, answerTo, answers };
  }

  test('serves a host that looks what there is and then begins as before', async () => {
    const { send, answerTo } = start(stage.environment());
    send(requestOf('server/discover', { id: 7 }).body);
    expect((await answerTo(7)).result.supportedVersions).toEqual([REVISION]);
    send(INITIALIZE);
    expect((await answerTo(0)).result.protocolVersion).toBe('2025-11-25');
    send({ jsonrpc: '2.0', id: 8, method: 'tools/list' });
    expect((await answerTo(8)).result.tools).toHaveLength(2);
  });

  test('answers all that came before it knew the revision, and ends with 0 when stdin does', async () => {
    const { child, exit, send, answerTo, answers } = start(stage.environment());
    child.stdin.write('no json\n');
    for (const id of [1, 2, 3]) send(requestOf('tools/list', { id }).body);
    for (const id of [1, 2, 3]) expect((await answerTo(id)).result.tools).toHaveLength(2);
    child.stdin.end();
    expect(await exit).toBe(0);
    expect(answers()).toHaveLength(3);
  });

  test('finishes a payment that is under way before it ends, and still answers it', async () => {
    const { seller, open } = await openSlowSeller(stage);
    const { environment, key } = newWallet(stage);
    const { child, exit, send, answers } = start(environment);
    send(requestOf('tools/call', { name: 'paid_call', arguments: { url: seller.url } }).body);
    await expect.poll(() => seller.paid().length).toBe(1);
    child.stdin.end();
    child.kill('SIGTERM');
    open();
    expect(await exit).toBe(0);
    expect(answers()).toMatchObject([{ result: { structuredContent: { paid: true } } }]);
    expect(spentBy(key.publicKey())).toBe(AMOUNT);
  });

  test('gives up a call that its host cancels', async () => {
    const { opened, open } = gate();
    const seller = await openSeller(stage, async (visit) => {
      await opened;
      await sellHonestly(visit);
    });
    const { send, answerTo } = start(newWallet(stage).environment);
    send(requestOf('tools/call', { name: 'paid_call', arguments: { url: seller.url } }).body);
    await expect.poll(() => seller.visits.length).toBe(1);
    send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } });
    send(requestOf('tools/list', { id: 2 }).body);
    await answerTo(2);
    open();
    // Once another call is over, the first would have paid.
    send(requestOf('tools/call', { id: 3, name: 'paid_call', arguments: { url: `${seller.url}?n=2` } }).body);
    expect((await answerTo(3)).result.structuredContent).toMatchObject({ paid: true });
    expect(seller.paid()).toHaveLength(1);
  });
});

test('a host is cut off if what serves it cannot be loaded, and the log says why', async () => {
  const [host, wire] = InMemoryTransport.createLinkedPair();
  const lines: string[] = [];
  const tools: ToolServer = {
    openSession: () => ({
      connect: async () => {},
      disconnected: new Promise(() => {}),
      close: async () => {},
    }),
    sessionless: () => Promise.reject(new Error('no memory')),
    close: async () => {},
  };
  const ended = serveHost({ tools, wire, log: createMcpLog([], (line) => void lines.push(line)) });
  await host.send(requestOf('tools/list').body as never);
  await ended;
  expect(lines.join('')).toContain('no memory');
});
