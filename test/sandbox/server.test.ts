import { readFileSync } from 'node:fs';
import { Horizon, Keypair, Networks, rpc } from '@stellar/stellar-sdk';
import { afterEach, expect, test } from 'vitest';
import { startSandbox, type Sandbox, type SandboxOptions } from '../../sandbox/server.ts';
import { trustCertificate } from '../../sandbox/tls.ts';
import { FAULT_KINDS } from '../../sandbox/faultKinds.ts';
import { knownKey } from '../../sandbox/knownAccounts.ts';
import { callRpc, get, post } from './rpcClient.ts';

const TEN_THOUSAND_XLM = '100000000000';
const MISSING_HASH = 'ab'.repeat(32);
/** For machines under load. */
const PATIENCE = { timeout: 10_000 };

let running: Sandbox[] = [];
afterEach(async () => {
  await Promise.all(running.map((sandbox) => sandbox.close()));
  running = [];
});

async function sandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const started = await startSandbox({ ledgerMs: 0, ...options });
  running.push(started);
  return started;
}

const newAddress = () => Keypair.random().publicKey();

test('Stellar RPC answers at / and /rpc', async () => {
  const { url } = await sandbox({ startLedger: 5000 });
  for (const path of ['/', '/rpc']) {
    const answer = await callRpc(url + path, 'getHealth', undefined, 'one');
    expect(answer).toMatchObject({
      jsonrpc: '2.0',
      id: 'one',
      result: { status: 'healthy', latestLedger: 5000 },
    });
  }
});

test('https is refused until its certificate is trusted, and trusting one sandbox trusts no other', async () => {
  const [trusted, other] = [await sandbox(), await sandbox()];
  await expect(callRpc(trusted.httpsUrl, 'getHealth')).rejects.toThrow('fetch failed');
  trustCertificate(trusted.caCertificate);
  expect((await callRpc(trusted.httpsUrl, 'getHealth')).result.status).toBe('healthy');
  const byName = trusted.httpsUrl.replace('127.0.0.1', 'localhost');
  expect((await callRpc(byName, 'getHealth')).result.status).toBe('healthy');
  await expect(callRpc(other.httpsUrl, 'getHealth')).rejects.toThrow('fetch failed');
  trustCertificate(other.caCertificate);
  expect((await callRpc(other.httpsUrl, 'getHealth')).result.status).toBe('healthy');
});

test.each([
  ['{', -32700],
  ['', -32700],
  ['null', -32600],
  ['"getHealth"', -32600],
  ['{"jsonrpc":"2.0","id":1}', -32600],
  ['{"id":1,"method":"getHealth"}', -32600],
  ['{"jsonrpc":"2.0","id":{},"method":"getHealth"}', -32600],
  ['[{"jsonrpc":"2.0","id":1,"method":"getHealth"}]', -32600],
  ['{"jsonrpc":"2.0","id":1,"method":"getNothing"}', -32601],
  ['{"jsonrpc":"2.0","id":1,"method":"getTransaction","params":{"hash":"00"}}', -32602],
])('the body %s answers 200 with the JSON-RPC error %i', async (body, code) => {
  const { url } = await sandbox();
  const response = await post(url, body);
  expect(response.status).toBe(200);
  expect(await response.json()).toMatchObject({
    jsonrpc: '2.0',
    error: { code, message: expect.any(String) },
  });
});

test('a body over the limit answers 413', async () => {
  const { url } = await sandbox();
  expect((await post(url, 'x'.repeat(512 * 1024))).status).toBe(200);
  expect((await post(url, 'x'.repeat(512 * 1024 + 1))).status).toBe(413);
});

test('an unknown path answers 404 and names the paths, a wrong method 405 and the right ones', async () => {
  const { url } = await sandbox();
  expect(await get(`${url}/accounts`)).toMatchObject({
    status: 404,
    body: { detail: expect.stringContaining('/mint') },
  });
  expect(await get(`${url}/constructor`)).toMatchObject({ status: 404 });
  expect(await get(`${url}/rpc`)).toMatchObject({ status: 405, body: { detail: '/rpc takes POST' } });
});

test('README lists each path, and each kind of fault that HTTP can ask for, with its parameters', async () => {
  const { url } = await sandbox();
  const section = readFileSync('README.md', 'utf8')
    .split('\n## ')
    .find((text) => text.startsWith('Sandbox\n'))!;
  const { detail } = (await get(`${url}/nothing`)).body;
  const paths = (detail as string).match(/\/[\w-]*/g)!;
  expect(paths).toContain('/mint');
  expect(paths.filter((path) => !section.includes(` ${path}`) && !section.includes(`\`${path}`))).toEqual([]);
  for (const [kind, { parameters }] of Object.entries(FAULT_KINDS)) {
    if (kind === 'rewrite') continue;
    const [, said] = new RegExp(`\`${kind}\`(?: \\(([^)]*)\\))?`).exec(section) ?? [undefined, 'missing'];
    expect([kind, [...(said ?? '').matchAll(/`(\w+)`/g)].map(([, name]) => name)]).toEqual([
      kind,
      Object.keys(parameters),
    ]);
  }
});

test('friendbot creates an account with 10,000 XLM, once', async () => {
  const { url, network } = await sandbox();
  const address = newAddress();
  const created = await get(`${url}/friendbot?addr=${address}`);
  expect(created).toMatchObject({
    status: 200,
    body: { successful: true, native: TEN_THOUSAND_XLM, usdc: '0' },
  });
  expect(String(network.balances(address).native)).toBe(TEN_THOUSAND_XLM);
  const again = await get(`${url}/friendbot?addr=${address}`);
  expect(again).toMatchObject({ status: 400, body: { status: 400, title: 'Bad Request' } });
  expect(again.body.detail).toContain('already funded');
});

test.each(['', 'addr=', 'addr=GABC', `addr=${MISSING_HASH}`])(
  'friendbot refuses ?%s with 400',
  async (query) => {
    const { url } = await sandbox();
    expect(await get(`${url}/friendbot?${query}`)).toMatchObject({ status: 400, body: { status: 400 } });
  },
);

test("a stock SDK's airdrop finds friendbot by getNetwork and learns the new account's sequence", async () => {
  const { url, network } = await sandbox();
  const server = new rpc.Server(url, { allowHttp: true });
  expect(await server.getNetwork()).toMatchObject({
    passphrase: Networks.TESTNET,
    friendbotUrl: `${url}/friendbot`,
  });
  const address = newAddress();
  const account = await server.requestAirdrop(address);
  expect(account.sequenceNumber()).toBe(String(network.balances(address).sequence));
  expect((await server.requestAirdrop(address)).sequenceNumber()).toBe(account.sequenceNumber());
});

test('mint opens the trustline and adds base units of USDC', async () => {
  const { url } = await sandbox();
  const address = newAddress();
  await get(`${url}/friendbot?addr=${address}`);
  await get(`${url}/mint?addr=${address}&amount=1`);
  const minted = await get(`${url}/mint?addr=${address}&amount=10000000`);
  expect(minted).toMatchObject({ status: 200, body: { usdc: '10000001', native: TEN_THOUSAND_XLM } });
  expect((await get(`${url}/mint?addr=${address}&amount=5&asset=native`)).body.native).toBe('100000000005');
  expect((await get(`${url}/mint?addr=${address}&amount=6&asset=EURC`)).body.eurc).toBe('6');
  expect((await get(`${url}/balance?addr=${address}`)).body).toMatchObject({ usdc: '10000001', eurc: '6' });
});

test('a key has one contract account, and mint serves contract addresses', async () => {
  const { url, network } = await sandbox();
  const signer = Keypair.random();
  const { address } = (await get(`${url}/contract-account?signer=${signer.publicKey()}`)).body;
  expect(address).toBe(network.contractAccount(signer.rawPublicKey()));
  expect((await get(`${url}/contract-account?signer=${address}`)).status).toBe(400);
  expect((await get(`${url}/mint?addr=${address}&amount=7`)).body).toMatchObject({
    usdc: '7',
    eurc: '0',
    sequence: null,
  });
  expect((await get(`${url}/mint?addr=${address}&amount=8&asset=EURC`)).body).toMatchObject({ eurc: '8' });
});

test.each(['', '0', '-1', '1.5', '01', '1e3', '0x10', ' 1', '9223372036854775808', '1'.repeat(30)])(
  'mint refuses the amount "%s" with 400 and the reason',
  async (amount) => {
    const { url } = await sandbox();
    const refused = await get(`${url}/mint?addr=${newAddress()}&amount=${encodeURIComponent(amount)}`);
    expect(refused).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining('amount must be') },
    });
  },
);

test('mint refuses a malformed address and an unknown asset with 400', async () => {
  const { url } = await sandbox();
  expect((await get(`${url}/mint?addr=GABC&amount=1`)).body.detail).toContain('addr must be');
  expect((await get(`${url}/mint?addr=${newAddress()}&amount=1&asset=EUR`)).body.detail).toContain(
    'asset must be',
  );
  expect((await get(`${url}/balance?addr=GABC`)).status).toBe(400);
});

test('POST /close closes one ledger', async () => {
  const { url } = await sandbox({ startLedger: 1000 });
  expect(await (await post(`${url}/close`, '')).json()).toEqual({ sequence: 1001 });
  expect((await callRpc(url, 'getLatestLedger')).result.sequence).toBe(1001);
});

test('POST /advance closes ledgers as if time had passed, and the clock stays ahead', async () => {
  const { url, network } = await sandbox({ startLedger: 1000, now: () => 1_700_000_000_000 });
  const advanced = await post(`${url}/advance?ledgers=12`, '');
  expect(await advanced.json()).toEqual({ sequence: 1012, closedAt: '2023-11-14T22:14:20.000Z' });
  await post(`${url}/close`, '');
  expect(network.ledgers(2).map(({ closedAtMs }) => closedAtMs - 1_700_000_000_000)).toEqual([
    60_001, 60_000,
  ]);
});

test.each(['', 'ledgers=', 'ledgers=0', 'ledgers=17281', 'ledgers=1.5', 'seconds=5'])(
  '/advance?%s answers 400',
  async (query) => {
    const { url } = await sandbox();
    expect((await post(`${url}/advance?${query}`, '')).status).toBe(400);
  },
);

test('POST /reset puts entries, faults and counts back to how they began; ledgers go on', async () => {
  const { url, network, faults } = await sandbox({ startLedger: 1000 });
  const [known, stranger] = [knownKey('seller 1'), Keypair.random()];
  await get(`${url}/mint?addr=${known.publicKey()}&amount=7`);
  await get(`${url}/friendbot?addr=${stranger.publicKey()}`);
  const contract = network.contractAccount(stranger.rawPublicKey());
  await post(`${url}/close`, '');
  await callRpc(url, 'getHealth');
  faults.add({ kind: 'feeSurge', stroops: 5_000 });

  expect(await (await post(`${url}/reset`, '')).json()).toEqual({ sequence: 1001 });
  expect(network.balances(known.publicKey())).toMatchObject({ native: BigInt(TEN_THOUSAND_XLM), usdc: 0n });
  expect(network.balances(stranger.publicKey()).sequence).toBeNull();
  expect(faults.list()).toEqual([]);
  expect((await get(`${url}/calls`)).body).toEqual({});
  await post(`${url}/close`, '');
  expect(network.latestLedger).toBe(1002);
  network.mint(network.contractAccount(stranger.rawPublicKey()), 5n);
  expect(network.contractAccount(stranger.rawPublicKey())).toBe(contract);
});

test('POST /upgrade votes for a newer protocol, and refuses any other', async () => {
  const { url, network } = await sandbox({ startLedger: 1000, protocol: 29 });
  const voted = await post(`${url}/upgrade?protocol=30`, '');
  expect(await voted.json()).toEqual({ protocol: 29, upgradesAt: 1001 });
  await post(`${url}/close`, '');
  expect(network.protocol).toBe(30);
  const refused = await post(`${url}/upgrade?protocol=30`, '');
  expect(refused.status).toBe(400);
  expect(await refused.json()).toMatchObject({
    detail: expect.stringContaining('cannot upgrade from protocol 30'),
  });
});

test('ledgers close on the clock', async () => {
  const { network } = await sandbox({ ledgerMs: 5, startLedger: 1000 });
  await expect.poll(() => network.latestLedger, PATIENCE).toBeGreaterThan(1002);
});

test('/ledgers is a Horizon page, newest first when asked', async () => {
  const { url, network } = await sandbox({ startLedger: 1000 });
  for (let i = 0; i < 4; i++) network.closeLedger();
  const page = await new Horizon.Server(url, { allowHttp: true }).ledgers().limit(3).order('desc').call();
  expect(page.records.map(({ sequence }) => sequence)).toEqual([1004, 1003, 1002]);
  const closedAtMs = network.ledgers(3).map((ledger) => ledger.closedAtMs);
  expect(page.records.map((record) => Date.parse(record.closed_at))).toEqual(closedAtMs);
  const oldest = await get(`${url}/ledgers?limit=2`);
  expect(oldest.body._embedded.records.map((record: any) => record.sequence)).toEqual([1000, 1001]);
});

test.each(['limit=0', 'limit=201', 'limit=x', 'limit=', 'order=up'])(
  '/ledgers?%s answers 400',
  async (query) => {
    const { url } = await sandbox();
    expect((await get(`${url}/ledgers?${query}`)).status).toBe(400);
  },
);

test('/calls counts the calls of each RPC method until reset', async () => {
  const { url, calls } = await sandbox();
  await callRpc(url, 'getHealth');
  await callRpc(url, 'getHealth');
  await callRpc(url, 'getTransaction', { hash: MISSING_HASH });
  const counts = { getHealth: 2, getTransaction: 1 };
  expect(calls.counts()).toEqual(counts);
  expect((await get(`${url}/calls?reset=1`)).body).toEqual(counts);
  expect((await get(`${url}/calls`)).body).toEqual({});
});

test('method names that callers make up are counted in bounded memory', async () => {
  const { url, calls } = await sandbox();
  for (let i = 0; i < 120; i++) await callRpc(url, `madeUp${i}`);
  expect(Object.keys(calls.counts())).toHaveLength(101);
  expect(calls.counts()['other']).toBe(20);
});

test('a port in use is an error, and the other port is given back', async () => {
  const first = await sandbox();
  const taken = Number(new URL(first.httpsUrl).port);
  const free = await sandbox();
  const freed = Number(new URL(free.url).port);
  await free.close();
  await expect(startSandbox({ port: freed, httpsPort: taken, ledgerMs: 0 })).rejects.toThrow('EADDRINUSE');
  await sandbox({ port: freed });
});

test('close cuts off what still waits', async () => {
  const { url, faults, close } = await sandbox();
  faults.add({ kind: 'hang' });
  const waiting = expect(callRpc(url, 'getHealth')).rejects.toThrow('fetch failed');
  await expect.poll(() => get(`${url}/calls`), PATIENCE).toMatchObject({ body: { getHealth: 1 } });
  await close();
  await waiting;
});
