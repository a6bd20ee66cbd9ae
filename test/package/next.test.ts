import { execFile } from 'node:child_process';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createBuyer } from '../../demo/buyer.ts';
import { startChild } from '../catalog/child.ts';
import { temporaryFolder } from '../catalog/temporaryFolder.ts';
import { childEnvironment } from '../support/childEnvironment.ts';
import { openSandbox, type TestSandbox } from '../support/sandbox.ts';

/** Next is large to install, and takes a while to build. */
const TIMEOUT_MS = 600_000;
const root = fileURLToPath(new URL('../..', import.meta.url));
const exec = promisify(execFile);
const environment = { ...childEnvironment, NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1' };

let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await openSandbox();
});
afterAll(() => sandbox.close());

test(
  'the seller of examples/next settles its own payments, built by Next and with its server',
  async () => {
    const folder = join(temporaryFolder(), 'next');
    await cp(join(root, 'examples/next'), folder, { recursive: true });
    await exec('npm', ['ci', '--include=dev', '--ignore-scripts', '--no-audit', '--no-fund'], {
      cwd: folder,
    });
    const place = join(folder, 'node_modules/stellar-facilitator');
    await cp(join(root, 'dist'), join(place, 'dist'), { recursive: true });
    await cp(join(root, 'package.json'), join(place, 'package.json'));
    const next = join(folder, 'node_modules/next/dist/bin/next');
    await exec(process.execPath, [next, 'build'], { cwd: folder, env: environment });

    const payTo = sandbox.account(0n).publicKey();
    const seller = startChild(process.execPath, [next, 'start', '-H', '127.0.0.1', '-p', '0'], {
      cwd: folder,
      env: {
        ...environment,
        PAY_TO: payTo,
        SUBMITTER_SECRET: sandbox.submitter().secret(),
        RPC_URL: sandbox.url,
        DB_PATH: ':memory:',
      },
    });
    const [, port] = /:(\d+)/.exec(await seller.line(/Local:/))!;
    const url = `http://127.0.0.1:${port}/weather`;
    expect((await fetch(url)).status).toBe(402);
    const buyer = createBuyer(sandbox.account().secret(), sandbox.httpsUrl);
    const bought = await buyer.fetch(url);
    expect([bought.status, await bought.json()]).toEqual([200, { city: 'Lisbon', weather: 'sunny' }]);
    expect(sandbox.usdc(payTo)).toBe(100_000n);
    seller.kill('SIGTERM');
    await seller.ended;
  },
  TIMEOUT_MS,
);
