import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import Koa from 'koa';
import { expect, onTestFinished, test } from 'vitest';
import { SILENT_LOG } from '../../src/log/log.ts';
import { OPERATOR_LIMITS, type OperatorLimits } from '../../src/operator/limits.ts';
import { listen } from '../../src/operator/server.ts';

async function open(changes: Partial<OperatorLimits>, answer = (ctx: Koa.Context) => void (ctx.body = 'ok')) {
  const limits = { ...OPERATOR_LIMITS, closeWithinMs: 10, ...changes };
  const app = new Koa();
  app.use(answer);
  const { port, close } = await listen(app, { host: '127.0.0.1', port: 0 }, { log: SILENT_LOG, limits });
  onTestFinished(close);
  return (localAddress: string): Socket => {
    const socket = connect({ port, host: '127.0.0.1', localAddress });
    onTestFinished(() => void socket.destroy());
    socket.on('error', () => {});
    return socket;
  };
}

const ASKED = 'GET / HTTP/1.1\r\nhost: localhost\r\n\r\n';

async function answered(socket: Socket): Promise<boolean> {
  socket.write(ASKED);
  return Promise.race([once(socket, 'data').then(() => true), once(socket, 'close').then(() => false)]);
}

test('one address cannot take all connections, and gets new ones when its own are closed', async () => {
  const from = await open({ maxConnections: 3, maxConnectionsPerAddress: 2 });
  const [first, second] = [from('127.0.0.2'), from('127.0.0.2')];
  expect([await answered(first), await answered(second)]).toEqual([true, true]);
  expect(await answered(from('127.0.0.2'))).toBe(false);
  expect(await answered(from('127.0.0.3'))).toBe(true);
  first.destroy();
  await expect.poll(() => answered(from('127.0.0.2'))).toBe(true);
});

test('a connection whose client reads nothing is closed in the end', async () => {
  const from = await open({ silentMs: 200 }, (ctx) => void (ctx.body = Buffer.alloc(32 * 1024 * 1024)));
  const socket = from('127.0.0.1');
  socket.pause();
  socket.write(ASKED);
  const peer = once(socket, 'close');
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  let bytes = 0;
  socket.on('data', (chunk: Buffer) => (bytes += chunk.length));
  socket.resume();
  await peer;
  expect(bytes).toBeLessThan(32 * 1024 * 1024);
});
