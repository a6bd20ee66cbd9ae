import {
  Contract,
  Keypair,
  Networks,
  TransactionBuilder,
  nativeToScVal,
  rpc,
  xdr,
  type Transaction,
} from '@stellar/stellar-sdk';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Fault } from '../../sandbox/faults.ts';
import { startSandbox, type Sandbox } from '../../sandbox/server.ts';
import { callRpc, get, post } from './rpcClient.ts';

const USDC = 'CBIELTK6YBZJU5UP2WWQEUCYKLPU6AUNZ2BQ4WWFEIE3USCIHMXQDAMA';
const MISSING_HASH = 'ab'.repeat(32);
/** For machines under load. */
const PATIENCE = { timeout: 10_000 };

let sandbox: Sandbox;
let server: rpc.Server;
beforeAll(async () => {
  sandbox = await startSandbox({ ledgerMs: 0 });
  server = new rpc.Server(sandbox.url, { allowHttp: true });
});
afterEach(() => sandbox.faults.clear());
afterAll(() => sandbox.close());

const call = (method: string, params?: unknown) => callRpc(sandbox.url, method, params);
const health = async () => (await call('getHealth')).result?.status;

/** A signed transfer of USDC from a new account to itself, ready to submit. */
async function transfer(): Promise<Transaction> {
  const payer = Keypair.random();
  const address = payer.publicKey();
  sandbox.network.mint(address, 10_000_000_000n, 'native');
  sandbox.network.mint(address, 100n);
  const party = nativeToScVal(address, { type: 'address' });
  const operation = new Contract(USDC).call('transfer', party, party, nativeToScVal(1n, { type: 'i128' }));
  const built = new TransactionBuilder(await server.getAccount(address), {
    fee: '100',
    networkPassphrase: Networks.TESTNET,
  })
    .addOperation(operation)
    .setTimeout(60)
    .build();
  const prepared = await server.prepareTransaction(built);
  prepared.sign(payer);
  return prepared;
}

const hashOf = (transaction: Transaction) => Buffer.from(transaction.hash()).toString('hex');

test('a fault strikes the methods and the number of calls that it names', async () => {
  sandbox.faults.add({ kind: 'httpStatus', status: 502, methods: ['getHealth'], times: 2 });
  const status = async () =>
    (await post(sandbox.url, '{"jsonrpc":"2.0","id":1,"method":"getHealth"}')).status;
  expect((await call('getLatestLedger')).result.sequence).toBe(sandbox.network.latestLedger);
  expect([await status(), await status(), await status()]).toEqual([502, 502, 200]);
});

test('a fault without a number of calls lasts until it is cleared', async () => {
  sandbox.faults.add({ kind: 'rpcError', code: -32603, message: 'out of order' });
  for (let i = 0; i < 3; i++)
    expect((await call('getHealth')).error).toEqual({ code: -32603, message: 'out of order' });
  sandbox.faults.clear();
  expect(await health()).toBe('healthy');
});

test('hang: no answer comes, and other methods go on', async () => {
  sandbox.faults.add({ kind: 'hang', methods: ['getHealth'], times: 1 });
  const abort = new AbortController();
  const hanging = fetch(sandbox.url, {
    method: 'POST',
    body: '{"jsonrpc":"2.0","id":1,"method":"getHealth"}',
    signal: abort.signal,
  });
  await expect.poll(() => sandbox.faults.list(), PATIENCE).toEqual([]);
  expect(await health()).toBe('healthy');
  abort.abort();
  await expect(hanging).rejects.toThrow('aborted');
});

test('delay: the call takes effect at once, its answer is overtaken by later ones', async () => {
  sandbox.faults.add({ kind: 'delay', ms: 1_000, methods: ['getLatestLedger'], times: 1 });
  const answered: string[] = [];
  const ledgerBefore = sandbox.network.latestLedger;
  const late = call('getLatestLedger').then((answer) => {
    answered.push('late');
    return answer;
  });
  await expect.poll(() => sandbox.faults.list(), PATIENCE).toEqual([]);
  sandbox.network.closeLedger();
  await call('getHealth').then(() => answered.push('later'));
  expect((await late).result.sequence).toBe(ledgerBefore);
  expect(answered).toEqual(['later', 'late']);
});

test('httpStatus: the answer is not JSON', async () => {
  sandbox.faults.add({ kind: 'httpStatus', status: 429 });
  const response = await post(sandbox.url, '{"jsonrpc":"2.0","id":1,"method":"getHealth"}');
  expect(response.status).toBe(429);
  await expect(response.json()).rejects.toThrow(SyntaxError);
});

test('wrongJson: status 200 and an answer cut off in the middle', async () => {
  sandbox.faults.add({ kind: 'wrongJson' });
  await expect(call('getHealth')).rejects.toThrow(SyntaxError);
});

test.each([7, 'seven'])('wrongId: the answer to request %s carries another id', async (id) => {
  sandbox.faults.add({ kind: 'wrongId' });
  const answer = await callRpc(sandbox.url, 'getHealth', undefined, id);
  expect(answer.id).not.toBe(id);
  expect(answer.result.status).toBe('healthy');
});

test('lostAnswer: the transaction is taken, the connection breaks', async () => {
  const transaction = await transfer();
  sandbox.faults.add({ kind: 'lostAnswer', methods: ['sendTransaction'], times: 1 });
  await expect(call('sendTransaction', { transaction: transaction.toXDR() })).rejects.toThrow('fetch failed');
  sandbox.network.closeLedger();
  expect((await server.getTransaction(hashOf(transaction))).status).toBe('SUCCESS');
});

test('repeat: a submission arrives twice and the second answer counts', async () => {
  const transaction = await transfer();
  sandbox.faults.add({ kind: 'repeat', methods: ['sendTransaction'] });
  expect((await server.sendTransaction(transaction)).status).toBe('DUPLICATE');
  sandbox.network.closeLedger();
  expect((await server.getTransaction(hashOf(transaction))).status).toBe('SUCCESS');
});

test.each(['PENDING', 'DUPLICATE', 'TRY_AGAIN_LATER', 'ERROR'] as const)(
  'sendStatus %s: the submission is answered so and never takes effect',
  async (status) => {
    const transaction = await transfer();
    sandbox.faults.add({ kind: 'sendStatus', status, times: 1 });
    const sent = await server.sendTransaction(transaction);
    expect(sent).toMatchObject({
      status,
      hash: hashOf(transaction),
      latestLedger: sandbox.network.latestLedger,
    });
    sandbox.network.closeLedger();
    expect((await server.getTransaction(sent.hash)).status).toBe('NOT_FOUND');
  },
);

test('sendStatus ERROR carries the result that was asked for, else txInternalError', async () => {
  const transaction = await transfer();
  sandbox.faults.add({ kind: 'sendStatus', status: 'ERROR', result: 'txBadSeq', times: 1 });
  expect((await server.sendTransaction(transaction)).errorResult?.result.type).toBe('txBadSeq');
  sandbox.faults.add({ kind: 'sendStatus', status: 'ERROR', times: 1 });
  expect((await server.sendTransaction(transaction)).errorResult?.result.type).toBe('txInternalError');
});

test('sendStatus leaves a malformed submission to the network', async () => {
  sandbox.faults.add({ kind: 'sendStatus', status: 'DUPLICATE' });
  expect((await call('sendTransaction', { transaction: 'AAAA' })).error.code).toBe(-32602);
});

test('notFound: a result is known only after N calls', async () => {
  const transaction = await transfer();
  await server.sendTransaction(transaction);
  sandbox.network.closeLedger();
  sandbox.faults.add({ kind: 'notFound', times: 2 });
  const statuses = [];
  for (let i = 0; i < 3; i++) statuses.push((await server.getTransaction(hashOf(transaction))).status);
  expect(statuses).toEqual(['NOT_FOUND', 'NOT_FOUND', 'SUCCESS']);
});

test('notFound looks like a transaction that the network never saw', async () => {
  const unknown = await call('getTransaction', { hash: MISSING_HASH });
  const transaction = await transfer();
  await server.sendTransaction(transaction);
  sandbox.network.closeLedger();
  sandbox.faults.add({ kind: 'notFound' });
  const hidden = await call('getTransaction', { hash: hashOf(transaction) });
  expect(Object.keys(hidden.result).sort()).toEqual(Object.keys(unknown.result).sort());
});

test('staleLedger: answers name a latest ledger that is behind', async () => {
  sandbox.faults.add({ kind: 'staleLedger', ledgers: 3 });
  const stale = sandbox.network.latestLedger - 3;
  expect((await call('getLatestLedger')).result.sequence).toBe(stale);
  expect((await call('getHealth')).result.latestLedger).toBe(stale);
  expect((await call('getTransaction', { hash: MISSING_HASH })).result.latestLedger).toBe(stale);
});

test('feeSurge: a bid below the surge is refused until the fault is cleared', async () => {
  const transaction = await transfer();
  sandbox.faults.add({ kind: 'feeSurge', stroops: 5_000 });
  expect((await server.sendTransaction(transaction)).errorResult?.result.type).toBe('txInsufficientFee');
  sandbox.faults.clear();
  expect((await server.sendTransaction(transaction)).status).toBe('PENDING');
});

test('ledgersStop: no ledger closes on the clock, one closes when asked for', async () => {
  const ticking = await startSandbox({ ledgerMs: 5 });
  try {
    ticking.faults.add({ kind: 'ledgersStop' });
    const stopped = ticking.network.latestLedger;
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(ticking.network.latestLedger).toBe(stopped);
    await post(`${ticking.url}/close`, '');
    expect(ticking.network.latestLedger).toBe(stopped + 1);
    ticking.faults.clear();
    await expect.poll(() => ticking.network.latestLedger, PATIENCE).toBeGreaterThan(stopped + 2);
  } finally {
    await ticking.close();
  }
});

test('rewrite: a simulation may return any events', async () => {
  const simulated = new xdr.ContractEvent({
    ext: xdr.ExtensionPoint.v0(),
    contractId: null,
    type: xdr.ContractEventType.contract,
    body: xdr.ContractEventBody.v0(new xdr.ContractEventV0({ topics: [], data: xdr.ScVal.scvVoid() })),
  });
  const event = new xdr.DiagnosticEvent({ inSuccessfulContractCall: true, event: simulated }).toXdr('base64');
  const transaction = await transfer();
  sandbox.faults.add({
    kind: 'rewrite',
    methods: ['simulateTransaction'],
    rewrite: (method, result) => ({ ...result, events: [event], asked: method }),
  });
  const { result } = await call('simulateTransaction', { transaction: transaction.toXDR() });
  expect(result).toMatchObject({
    events: [event],
    asked: 'simulateTransaction',
    minResourceFee: expect.any(String),
  });
});

test('several faults may strike one call', async () => {
  sandbox.faults.add({ kind: 'staleLedger', ledgers: 1 });
  sandbox.faults.add({ kind: 'wrongId' });
  const answer = await callRpc(sandbox.url, 'getLatestLedger', undefined, 1);
  expect(answer).toMatchObject({ id: 2, result: { sequence: sandbox.network.latestLedger - 1 } });
});

test('over HTTP, POST /faults adds, GET shows what is left, DELETE clears', async () => {
  const fault: Fault = { kind: 'rpcError', code: -32000, message: 'no', methods: ['getHealth'], times: 2 };
  const added = await post(`${sandbox.url}/faults`, JSON.stringify(fault));
  expect(await added.json()).toEqual({ faults: [fault] });
  expect((await call('getHealth')).error.code).toBe(-32000);
  expect((await get(`${sandbox.url}/faults`)).body).toEqual({ faults: [{ ...fault, times: 1 }] });
  const cleared = await fetch(`${sandbox.url}/faults`, { method: 'DELETE' });
  expect(await cleared.json()).toEqual({ faults: [] });
  expect(await health()).toBe('healthy');
});

test.each([
  ['no JSON', 'x'],
  ['no object', '[]'],
  ['no kind', '{}'],
  ['an unknown kind', '{"kind":"constructor"}'],
  ['a missing parameter', '{"kind":"delay"}'],
  ['a parameter out of range', '{"kind":"delay","ms":-1}'],
  ['an unknown parameter', '{"kind":"hang","ms":1}'],
  ['an unknown status', '{"kind":"sendStatus","status":"SUCCESS"}'],
  ['an unknown result', '{"kind":"sendStatus","status":"ERROR","result":"txGood"}'],
  ['methods that are no list', '{"kind":"hang","methods":"getHealth"}'],
  ['a method that there is not', '{"kind":"hang","methods":["getHealth","nope"]}'],
  ['a number of calls that is none', '{"kind":"hang","times":0}'],
  ['a number of calls for a state', '{"kind":"ledgersStop","times":1}'],
  ['a rewrite, which is in process only', '{"kind":"rewrite","rewrite":"x"}'],
])('a fault with %s is refused with 400', async (_what, body) => {
  const refused = await post(`${sandbox.url}/faults`, body);
  expect(refused.status).toBe(400);
  expect(sandbox.faults.list()).toEqual([]);
});

test('a fault of an unknown kind or method is told which there are', async () => {
  const told = async (fault: object) => (await post(`${sandbox.url}/faults`, JSON.stringify(fault))).text();
  expect(await told({ kind: 'nope' })).toContain('kind must be one of hang, delay,');
  expect(await told({ kind: 'nope' })).not.toContain('rewrite');
  expect(await told({ kind: 'hang', methods: ['nope'] })).toMatch(
    /there is no method .*nope.*: name getHealth,/,
  );
});

test('the number of faults in force is bounded', async () => {
  for (let i = 0; i < 100; i++) sandbox.faults.add({ kind: 'hang', methods: ['getFeeStats'] });
  expect(() => sandbox.faults.add({ kind: 'hang' })).toThrow('no more than 100');
  expect((await post(`${sandbox.url}/faults`, '{"kind":"hang"}')).status).toBe(400);
});
