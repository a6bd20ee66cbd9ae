import { readFileSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { Keypair } from '@stellar/stellar-sdk';
import { describe, expect, test } from 'vitest';
import { ask } from '../http/support.ts';
import { freePort } from '../support/freePort.ts';
import { opened, OUTPUTS, startOn, temporaryFolder } from './outputs.ts';

const SUBMITTER_SECRET = Keypair.fromRawEd25519Seed(Buffer.alloc(32, 1)).secret();
/** Nothing listens there: a start must not need an RPC. */
const ENVIRONMENT = { SUBMITTER_SECRET, RPC_URL: 'http://127.0.0.1:1', DB_PATH: ':memory:' };
const LOGGING = join(import.meta.dirname, 'logging.ts');

const startService = (fd: number, env: Record<string, string>) =>
  startOn(fd, process.execPath, ['dist/stellar-facilitator.js'], { ...ENVIRONMENT, ...env });

const startLogging = (fd: number, task: string) => startOn(fd, process.execPath, [LOGGING, task], {});

const answers = (PORT: string): Promise<boolean> =>
  ask(`http://127.0.0.1:${PORT}/health`).then(
    ({ status }) => status === 200,
    () => false,
  );

describe.each(Object.entries(OUTPUTS))('with %s as stdout and stderr', (_name, open) => {
  test.each(['json', 'pretty'])(
    'the service that logs %s answers, and exits 0 when it is told to',
    async (LOG_FORMAT) => {
      // What the service has bound cannot be read here.
      const PORT = String(await freePort());
      const service = startService(open(), { PORT, LOG_FORMAT });
      await expect.poll(() => answers(PORT)).toBe(true);
      for (let asked = 0; asked < 40; asked += 1) expect(await answers(PORT)).toBe(true);
      service.kill('SIGTERM');
      expect(await service.end()).toBe(0);
    },
  );

  test.each([
    ['by a fault', 'fault', 1],
    ['which refuses to start', 'refuse', 78],
  ])('a process ends %s', async (_why, task, code) => {
    expect(await startLogging(open(), task).end()).toBe(code);
  });
});

test('a start of the service that fails ends, although its reason cannot be written', async () => {
  expect(await startService(OUTPUTS['a full disk'](), { PORT: 'none' }).end()).toBe(78);
});

test('what was logged just before a fault is written', async () => {
  const file = join(temporaryFolder(), 'log');
  expect(await startLogging(opened(file, 'a'), 'fault').end()).toBe(1);
  expect(readFileSync(file, 'utf8')).toContain('"msg":"started"');
});

/** As `ulimit` counts. */
const BLOCK_BYTES = 512;
const ROOM_BLOCKS = 20;
const LOST = 'log lines were lost';

test('when there is room again a line says how many were lost, and all lines but the one that was cut are whole', async () => {
  const file = join(temporaryFolder(), 'log');
  // A limit for files is met as a full disk is: a write is cut, the next ones fail.
  const script = `ulimit -f ${ROOM_BLOCKS}; exec "$0" "$@"`;
  const child = startOn(opened(file, 'a'), 'sh', ['-c', script, process.execPath, LOGGING, 'obey'], {});
  const logged = (): string[] => readFileSync(file, 'utf8').split('\n');
  await child.tell(300);
  expect(logged().join('\n')).toHaveLength(ROOM_BLOCKS * BLOCK_BYTES);
  const [cut, ...before] = logged().reverse();
  expect(() => JSON.parse(cut!)).toThrow(SyntaxError);

  truncateSync(file);
  await expect.poll(() => logged().join('\n')).toContain(LOST);
  await child.tell(3);
  child.disconnect();
  expect(await child.end()).toBe(0);
  const after = logged().filter((line) => line !== '');
  const lines = [...before, ...after].map((line) => JSON.parse(line) as { msg: string; lines?: number });
  const lost = lines.filter(({ msg }) => msg === LOST).map((line) => line.lines!);
  const written = lines.filter(({ msg }) => msg === 'as told').length;
  expect(lost.reduce((sum, count) => sum + count, 0) + written).toBe(303);
  expect(lines.at(-1)).toMatchObject({ msg: 'stopped' });
});
