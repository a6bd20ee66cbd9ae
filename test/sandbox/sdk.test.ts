import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { rpc, TransactionBuilder } from '@stellar/stellar-sdk';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createNetwork } from '../../sandbox/network.ts';
import { createWallet, keypair, PASSPHRASE, transfer, USDC, XLM_10_000 } from './wallet.ts';

/** The SDK that the stock x402 packages bring along: another major version, with its own decoders. */
const olderSdk = createRequire(import.meta.resolve('@x402/stellar'))('@stellar/stellar-sdk');

const payer = keypair('payer');
const submitter = keypair('submitter');
// The last protocol whose ledgers SDK 17.2 can read.
const network = createNetwork({ protocol: 29 });
const wallet = createWallet(network);
const payment = transfer(payer.publicKey(), USDC, 5n);
let settled: string;
let refused: string;

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString());
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ jsonrpc: '2.0', id, ...network.rpc(method, params) }));
  });
});

beforeAll(async () => {
  network.mint(payer.publicKey(), 1_000n);
  network.createAccount(submitter.publicKey(), XLM_10_000);
  settled = await wallet.build(submitter, payment, payer);
  wallet.settle(settled);
  refused = await wallet.build(submitter, payment, payer, { inclusionFee: 1n });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

describe.each([
  ['17', { rpc, TransactionBuilder }],
  ['14', olderSdk],
])('the stock rpc.Server of stellar-sdk %s', (_version, sdk) => {
  const connect = (): rpc.Server =>
    new sdk.rpc.Server(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, { allowHttp: true });
  const parse = (envelope: string) => sdk.TransactionBuilder.fromXDR(envelope, PASSPHRASE);

  test('reads the network, its ledgers and its fees', async () => {
    const client = connect();
    expect((await client.getHealth()).status).toBe('healthy');
    expect((await client.getNetwork()).passphrase).toBe(PASSPHRASE);
    expect((await client.getLatestLedger()).sequence).toBe(network.latestLedger);
    expect((await client.getFeeStats()).sorobanInclusionFee.min).toBe('100');
    const { ledgers } = await client.getLedgers({ startLedger: 1000, pagination: { limit: 2 } });
    expect(ledgers.map(({ sequence }) => sequence)).toEqual([1000, 1001]);
  });

  test('reads accounts and ledger entries', async () => {
    const client = connect();
    const account = await client.getAccount(submitter.publicKey());
    expect(account.accountId()).toBe(submitter.publicKey());
    expect(BigInt(account.sequenceNumber())).toBe(network.balances(submitter.publicKey()).sequence);
  });

  test('simulates a payment', async () => {
    const answer = await connect().simulateTransaction(parse(settled));
    expect('error' in answer ? answer.error : undefined).toMatch(/^HostError: Error\(Auth, ExistingValue\)/);
    const unsigned = await connect().simulateTransaction(parse(wallet.unsigned(payment)));
    expect(sdk.rpc.Api.isSimulationSuccess(unsigned)).toBe(true);
  });

  test('sends transactions and reads what became of them', async () => {
    const client = connect();
    expect((await client.sendTransaction(parse(settled))).status).toBe('DUPLICATE');
    const answer = await client.sendTransaction(parse(refused));
    expect(answer.status).toBe('ERROR');
    expect(answer.errorResult).toBeDefined();
    const hash = Buffer.from(parse(settled).hash()).toString('hex');
    const found = await client.getTransaction(hash);
    expect(found.status).toBe('SUCCESS');
    expect((await client.getTransaction('ab'.repeat(32))).status).toBe('NOT_FOUND');
    const { transactions } = await client.getTransactions({ startLedger: 1000 });
    expect(transactions.map(({ txHash }) => txHash)).toEqual([hash]);
    const { events } = await client.getEvents({ startLedger: 1000, filters: [] });
    expect(events.map(({ txHash }) => txHash)).toEqual([hash]);
  });
});
