import { spawn, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { temporaryFolder } from '../catalog/temporaryFolder.ts';
import { ask, type Answer } from '../http/support.ts';
import { startService, type ServiceProcess } from '../kill/process.ts';
import { eventually, expectStopped, newPayment, settle } from '../kill/site.ts';
import { freePort } from '../support/freePort.ts';
import { openSandbox } from '../support/sandbox.ts';
import { binaries, openPostgres } from './server.ts';

const hasProxy = spawnSync('haproxy', ['-v']).error === undefined;
const canRun = binaries !== undefined && hasProxy;
if (!canRun) console.log('skipped: a rolling update, as this machine has no PostgreSQL or no HAProxy');

const TIMEOUT_MS = 240_000;
const WORKERS = 4;
const NAMES = ['facilitator-1', 'facilitator-2'];

interface Compose {
  configs: { haproxy: { content: string } };
}
const compose = parse(readFileSync('compose.instances.yaml', 'utf8')) as Compose;

/** Starts HAProxy with the settings of compose.instances.yaml, on loopback. Returns its URL. */
async function startProxy(ports: readonly number[]): Promise<string> {
  const port = await freePort();
  let settings = compose.configs.haproxy.content
    .replace(/resolvers docker\n(?: {2}.*\n)+/, '')
    .replaceAll(/ resolvers docker.*$/gm, '')
    .replace('bind :4021', `bind 127.0.0.1:${port}`);
  for (const [nth, name] of NAMES.entries())
    settings = settings.replaceAll(`${name}:4021`, `127.0.0.1:${ports[nth]}`);
  const file = join(temporaryFolder(), 'haproxy.cfg');
  writeFileSync(file, settings);
  const proxy = spawn('haproxy', ['-db', '-f', file], { stdio: 'inherit' });
  onTestFinished(() => void proxy.kill('SIGKILL'));
  return `http://127.0.0.1:${port}`;
}

/** Returns status 0 for a request that has no proper answer. */
const answerTo = (request: () => Promise<Answer>): Promise<Pick<Answer, 'status' | 'body'>> =>
  request().catch((error: Error) => ({ status: 0, body: `${error.message}: ${String(error.cause)}` }));

test.skipIf(!canRun)(
  'behind the proxy of compose.instances.yaml, a rolling update fails no request',
  { timeout: TIMEOUT_MS },
  async () => {
    const postgres = await openPostgres();
    onTestFinished(() => postgres.close());
    const sandbox = await openSandbox({ ledgerMs: 500 });
    onTestFinished(() => sandbox.close());
    const [databaseUrl, folder] = [await postgres.database(), temporaryFolder()];
    const submitters = Array.from({ length: 4 }, () => sandbox.submitter().secret()).join();
    const ports = [await freePort(), await freePort()];
    const start = (nth: number): ServiceProcess =>
      startService({
        HOST: '127.0.0.1',
        PORT: String(ports[nth]),
        DATABASE_URL: databaseUrl,
        DB_PATH: join(folder, `${nth}.db`),
        RPC_URL: sandbox.url,
        SUBMITTER_SECRET: submitters,
      });
    const instances = [start(0), start(1)];
    await Promise.all(instances.map(({ url }) => url));
    const proxy = await startProxy(ports);
    const isUp = async (): Promise<boolean> =>
      fetch(`${proxy}/health`).then(
        ({ ok }) => ok,
        () => false,
      );
    await eventually(isUp).toBe(true);

    const failures: unknown[] = [];
    let settled = 0;
    let isOver = false;
    const work = async (): Promise<void> => {
      while (!isOver) {
        const payment = newPayment(sandbox);
        const { status, body } = await answerTo(() => settle(proxy, payment));
        if ((body as { success?: boolean }).success === true) settled += 1;
        else failures.push({ status, body });
        const list = await answerTo(() => ask(`${proxy}/discovery/resources?limit=1`));
        if (list.status !== 200) failures.push(list);
      }
    };
    const workers = Array.from({ length: WORKERS }, work);
    for (const nth of [0, 1, 0, 1]) {
      await sleep(2_000);
      instances[nth]!.kill('SIGTERM');
      await expectStopped(instances[nth]!);
      instances[nth] = start(nth);
      await instances[nth].url;
      await sleep(2_000);
    }
    isOver = true;
    await Promise.all(workers);
    expect(failures).toEqual([]);
    expect(settled).toBeGreaterThan(20);
  },
);
