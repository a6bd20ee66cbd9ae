import { readFileSync, truncateSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Keypair } from '@stellar/stellar-sdk';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ask } from '../http/support.ts';
import { opened, OUTPUTS, startOn, temporaryFolder } from './outputs.ts';

const SUBMITTER_SECRET = Keypair.fromRawEd25519Seed(Buffer.alloc(32, 1)).secret();
/** Nothing listens there: a start must not need an RPC. */
const ENVIRONMENT = { SUBMITTER_SECRET, RPC_URL: 'http://127.0.0.1:1', DB_PATH: ':memory:' };
const FAULTY = join(import.meta.dirname, 'faulty.ts');

/** A port that is free: what the service has bound cannot be read here. */
async function freePort(): Promise<string> {
  const server = createServer().listen(0);
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return String(port);
}

const startService = (fd: number, env: Record<string, string>) =>
  startOn(fd, process.execPath, ['src/main.ts'], { ...ENVIRONMENT, ...env });

const answers = (PORT: string): Promise<boolean> =>
  ask(`http://127.0.0.1:${PORT}/health`).then(
    ({ status }) => status === 200,
    () => false,
  );

describe.each(Object.entries(OUTPUTS))('with %s as stdout and stderr', (_name, open) => {
  test('the service answers, and exits 0 when it is told to', async () => {
    const PORT = await freePort();
    const service = startService(open(), { PORT });
    await expect.poll(() => answers(PORT)).toBe(true);
    for (let asked = 0; asked < 200; asked += 1) expect(await answers(PORT)).toBe(true);
    service.kill('SIGTERM');
    expect(await service.end()).toBe(0);
  });

  test('a start that fails ends', async () => {
    const other = createServer().listen(0);
    onTestFinished(() => void other.close());
    const { port } = other.address() as AddressInfo;
    expect(await startService(open(), { PORT: String(port) }).end()).toBe(1);
    expect(await startService(open(), { PORT: 'none' }).end()).toBe(78);
  });

  test('a fault ends the process', async () => {
    expect(await startOn(open(), process.execPath, [FAULTY], {}).end()).toBe(1);
  });
});

test('what was logged just before a fault is written', async () => {
  const file = join(temporaryFolder(), 'log');
  expect(await startOn(opened(file, 'a'), process.execPath, [FAULTY], {}).end()).toBe(1);
  expect(readFileSync(file, 'utf8')).toContain('"msg":"last words"');
});

/** As `ulimit` counts. */
const BLOCK_BYTES = 512;
const ROOM_BLOCKS = 20;
const LOST = 'log lines were lost';

test('when there is room again a line says how many were lost, and all lines but the one that was cut are whole', async () => {
  const PORT = await freePort();
  const file = join(temporaryFolder(), 'log');
  // A limit for files is met as a full disk is: a write is cut, the next ones fail.
  const script = `ulimit -f ${ROOM_BLOCKS}; exec "$0" src/main.ts`;
  const service = startOn(opened(file, 'a'), 'sh', ['-c', script, process.execPath], {
    ...ENVIRONMENT,
    PORT,
  });
  const logged = (): string[] => readFileSync(file, 'utf8').split('\n');
  await expect.poll(() => answers(PORT)).toBe(true);
  let asked = 1;
  const askTimes = async (times: number): Promise<void> => {
    for (; times > 0; times -= 1) if (await answers(PORT)) asked += 1;
  };
  await askTimes(200);
  await expect.poll(() => logged().join('\n').length).toBe(ROOM_BLOCKS * BLOCK_BYTES);
  const [cut, ...before] = logged().reverse();
  expect(() => JSON.parse(cut!)).toThrow(SyntaxError);

  // Until all lines that wait have been tried and lost: they would fill the file again.
  await sleep(2_500);
  truncateSync(file);
  await expect.poll(() => logged().join('\n')).toContain(LOST);
  await askTimes(3);
  service.kill('SIGTERM');
  expect(await service.end()).toBe(0);
  const after = logged().filter((line) => line !== '');
  const lines = [...before, ...after].map((line) => JSON.parse(line) as { msg: string; lines?: number });
  const lost = lines.filter(({ msg }) => msg === LOST).map((line) => line.lines!);
  const requests = lines.filter(({ msg }) => msg === 'request').length;
  expect(lost.reduce((sum, count) => sum + count, 0) + requests).toBe(asked);
  expect(lines.at(-1)).toMatchObject({ msg: 'stopped' });
});
