import { afterAll, beforeAll, expect, test } from 'vitest';
import { createBuyer } from '../../demo/buyer.ts';
import { startChild } from '../catalog/child.ts';
import { childEnvironment } from '../support/childEnvironment.ts';
import { openSandbox, type TestSandbox } from '../support/sandbox.ts';

let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await openSandbox();
});
afterAll(() => sandbox.close());

test.each(['express', 'fastify', 'hono'])(
  'the seller of examples/%s.ts settles its own payments',
  async (name) => {
    const payTo = sandbox.account(0n).publicKey();
    const seller = startChild(process.execPath, [`examples/${name}.ts`], {
      env: {
        ...childEnvironment,
        PAY_TO: payTo,
        SELLER_PORT: '0',
        SUBMITTER_SECRET: sandbox.submitter().secret(),
        RPC_URL: sandbox.url,
        DB_PATH: ':memory:',
      },
    });
    const [, port] = /port: (\d+)/.exec(await seller.line('sells '))!;
    const url = `http://127.0.0.1:${port}/weather`;
    expect((await fetch(url)).status).toBe(402);
    const buyer = createBuyer(sandbox.account().secret(), sandbox.httpsUrl);
    const bought = await buyer.fetch(url);
    expect([bought.status, await bought.json()]).toEqual([200, { city: 'Lisbon', weather: 'sunny' }]);
    expect(sandbox.usdc(payTo)).toBe(100_000n);
    seller.kill('SIGTERM');
    expect((await seller.ended).code).toBe(0);
  },
);
