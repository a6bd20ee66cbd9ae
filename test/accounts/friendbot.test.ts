import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { FRIENDBOT_LIMITS } from '../../src/cli/accounts/friendbot.ts';
import { openSandbox, type TestSandbox } from '../support/sandbox.ts';
import { addressesIn, expectDone, runAccounts, startAccounts, temporaryFolder } from './accountsProcess.ts';

const GIFT_STROOPS = 100_000_000_000n;

let sandbox: TestSandbox;
let environment: Record<string, string>;
let folder: string;
beforeAll(async () => {
  sandbox = await openSandbox();
  environment = { RPC_URL: sandbox.url, NETWORK: 'stellar:testnet' };
});
afterAll(() => sandbox.close());
beforeEach(() => {
  folder = temporaryFolder();
});

const exists = (address: string) => sandbox.network.balances(address).sequence !== null;

/** A friendbot of the test's own, named by the RPC: `answer` decides for each account that it is asked for. */
async function friendbot(answer: (address: string, response: ServerResponse) => void): Promise<string[]> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const address = new URL(request.url!, 'http://friendbot').searchParams.get('addr')!;
    asked.push(address);
    answer(address, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const friendbotUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/?of=test`;
  const rewrite = (_method: string, result: object) => ({ ...result, friendbotUrl });
  sandbox.faults.add({ kind: 'rewrite', methods: ['getNetwork'], rewrite });
  onTestFinished(() => {
    sandbox.faults.clear();
    server.closeAllConnections();
    server.close();
  });
  return asked;
}

function give(address: string, response: ServerResponse): void {
  sandbox.network.createAccount(address, GIFT_STROOPS);
  response.end('{}');
}

function busy(response: ServerResponse): void {
  response.writeHead(429, { 'retry-after': '0' }).end();
}

test('create makes accounts that friendbot funds, and shows their addresses but not their keys', async () => {
  const ended = await runAccounts(folder, environment, 'create', '--count', '3');
  expectDone(ended);
  const addresses = addressesIn(join(folder, 'submitters.env'));
  expect(addresses).toHaveLength(3);
  for (const address of addresses) {
    expect(sandbox.native(address)).toBe(GIFT_STROOPS);
    expect(ended.stdout).toContain(address);
  }
  expect(ended.stdout).toContain('submitters.env');
  expect(ended.stderr).toContain(`funded 3 of 3: ${addresses[2]}`);
});

test('the keys are one line that only the owner may read', async () => {
  expectDone(await runAccounts(folder, environment, 'create', '--count', '2', '--out', 'keys of mine.env'));
  const file = join(folder, 'keys of mine.env');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readFileSync(file, 'utf8')).toMatch(/^SUBMITTER_SECRET=S[A-Z2-7]{55},S[A-Z2-7]{55}\n$/);
});

test('a file that exists is refused and stays as it is, and nothing is funded', async () => {
  const asked = await friendbot(give);
  writeFileSync(join(folder, 'submitters.env'), 'precious');
  const { code, stdout, stderr } = await runAccounts(folder, environment, 'create');
  expect(code).toBe(1);
  expect(stderr).toMatch(
    /^submitters\.env exists and is never overwritten.*--out.*--resume submitters\.env\n$/,
  );
  expect(stdout).toBe('');
  expect(readFileSync(join(folder, 'submitters.env'), 'utf8')).toBe('precious');
  expect(asked).toEqual([]);
});

test('a file that cannot be written is said, and nothing is funded', async () => {
  const asked = await friendbot(give);
  const { code, stderr } = await runAccounts(folder, environment, 'create', '--out', 'no/such/folder.env');
  expect(code).toBe(1);
  expect(stderr).toBe('no/such/folder.env cannot be written (ENOENT): name another file with --out\n');
  expect(asked).toEqual([]);
});

test('a friendbot that is busy is asked again', async () => {
  let refusals = 2;
  const asked = await friendbot((address, response) => {
    if (refusals-- > 0) busy(response);
    else give(address, response);
  });
  const ended = await runAccounts(folder, environment, 'create');
  expectDone(ended);
  expect(asked).toHaveLength(3);
  expect(ended.stderr.match(/HTTP status 429; asking again in 0 s/g)).toHaveLength(2);
});

test('a friendbot that stays busy ends the run with 1, and --resume funds what is missing', async () => {
  let isBusy = false;
  const asked = await friendbot((address, response) => {
    if (isBusy) return busy(response);
    give(address, response);
    isBusy = true;
  });
  const { code, stdout, stderr } = await runAccounts(folder, environment, 'create', '--count', '3');
  expect(code).toBe(1);
  expect(stdout).toBe('');
  expect(stderr).toMatch(/did not fund G\w{55}: HTTP status 429, 8 times in a row: try again later/);
  expect(stderr).toMatch(/Nothing is lost.*create --resume \.\/submitters\.env\n$/);
  expect(asked).toHaveLength(1 + FRIENDBOT_LIMITS.attemptsPerAccount);
  const addresses = addressesIn(join(folder, 'submitters.env'));
  expect(addresses.map(exists)).toEqual([true, false, false]);

  isBusy = false;
  asked.length = 0;
  sandbox.faults.clear();
  expectDone(await runAccounts(folder, environment, 'create', '--resume', 'submitters.env'));
  expect(addressesIn(join(folder, 'submitters.env'))).toEqual(addresses);
  expect(addresses.map((address) => sandbox.native(address))).toEqual(Array(3).fill(GIFT_STROOPS));
});

test('killed in the middle it has lost no key, and --resume asks only for what is missing', async () => {
  let given = 0;
  const asked = await friendbot((address, response) => {
    if (given++ < 2) give(address, response);
  });
  const run = startAccounts(folder, environment, 'create', '--count', '4');
  await expect.poll(() => asked.length, { timeout: 20_000 }).toBe(3);
  run.kill();
  await run.ended;
  const addresses = addressesIn(join(folder, 'submitters.env'));
  expect(addresses).toHaveLength(4);

  given = -Infinity;
  asked.length = 0;
  expectDone(await runAccounts(folder, environment, 'create', '--resume', 'submitters.env'));
  expect(asked).toEqual(addresses.slice(2));
  expect(addresses.every(exists)).toBe(true);
});

test('an account that was funded although the answer says otherwise, or was lost, is funded', async () => {
  const asked = await friendbot((address, response) => {
    sandbox.network.createAccount(address, GIFT_STROOPS);
    if (asked.length === 1) response.writeHead(400).end('op_already_exists');
    else response.destroy();
  });
  expectDone(await runAccounts(folder, environment, 'create', '--count', '2'));
  expect(asked).toHaveLength(2);
});

test('--resume of accounts that all exist funds nothing', async () => {
  expectDone(await runAccounts(folder, environment, 'create'));
  const asked = await friendbot(give);
  expectDone(await runAccounts(folder, environment, 'create', '--resume', 'submitters.env'));
  expect(asked).toEqual([]);
});
