import { createRequire } from 'node:module';
import {
  Keypair,
  Networks,
  TransactionBuilder,
  authorizeEntry,
  contract,
  inspectAuthEntry,
  nativeToScVal,
  rpc,
  xdr,
  type Transaction,
} from '@stellar/stellar-sdk';
import { createEd25519Signer } from '@x402/stellar';
import { ExactStellarScheme as StockClient } from '@x402/stellar/exact/client';
import { ExactStellarScheme as StockFacilitator } from '@x402/stellar/exact/facilitator';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { aliasStellarHosts } from '../../sandbox/aliases.ts';
import { startSandbox, type Sandbox } from '../../sandbox/server.ts';
import { trustCertificate } from '../../sandbox/tls.ts';

const USDC = 'CBIELTK6YBZJU5UP2WWQEUCYKLPU6AUNZ2BQ4WWFEIE3USCIHMXQDAMA';
const NETWORK = 'stellar:testnet';
/** Not the 5 seconds that the stock client assumes when Horizon does not answer. */
const SECONDS_PER_LEDGER = 7;
/** As many as the stock client asks Horizon for. */
const LEDGERS = 20;
const MAX_TIMEOUT_SECONDS = 60;
const AMOUNT = 12_345n;

/** The SDK of the other generation, which the stock x402 packages bring along. */
const sdk14 = createRequire(new URL('../../node_modules/@x402/stellar/package.json', import.meta.url))(
  '@stellar/stellar-sdk',
);

let sandbox: Sandbox;
let nowMs: number;
let restoreHosts: () => void;
beforeAll(async () => {
  nowMs = Date.now() - LEDGERS * SECONDS_PER_LEDGER * 1000;
  sandbox = await startSandbox({ ledgerMs: 0, now: () => nowMs });
  for (let i = 0; i < LEDGERS; i++) {
    nowMs += SECONDS_PER_LEDGER * 1000;
    sandbox.network.closeLedger();
  }
  trustCertificate(sandbox.caCertificate);
  restoreHosts = aliasStellarHosts(sandbox.httpsUrl);
});
afterAll(async () => {
  restoreHosts();
  await sandbox.close();
});

let closing: NodeJS.Timeout | undefined;
afterEach(() => {
  clearInterval(closing);
  vi.restoreAllMocks();
});

/** Closes ledgers until the test ends, for clients that poll for a result. */
function keepClosingLedgers(): void {
  closing = setInterval(() => sandbox.network.closeLedger(), 50);
}

function account(usdc = 0n): Keypair {
  const keypair = Keypair.random();
  sandbox.network.mint(keypair.publicKey(), 10_000_000_000n, 'native');
  sandbox.network.mint(keypair.publicKey(), 1n + usdc);
  return keypair;
}

const usdcOf = (address: string) => sandbox.network.balances(address).usdc - 1n;

function requirementsFor(payTo: string) {
  return {
    scheme: 'exact',
    network: NETWORK,
    asset: USDC,
    amount: String(AMOUNT),
    payTo,
    maxTimeoutSeconds: MAX_TIMEOUT_SECONDS,
    extra: { areFeesSponsored: true },
  } as const;
}

function stockClient(payer: Keypair): StockClient {
  return new StockClient(createEd25519Signer(payer.secret()), { url: sandbox.httpsUrl });
}

function transferArguments(from: string, to: string): xdr.ScVal[] {
  const amount = nativeToScVal(AMOUNT, { type: 'i128' });
  return [nativeToScVal(from, { type: 'address' }), nativeToScVal(to, { type: 'address' }), amount];
}

test("the stock x402 client signs a payment with the network's own ledger times", async () => {
  const [payer, payee] = [account(AMOUNT), account()];
  sandbox.calls.reset();
  const { payload } = await stockClient(payer).createPaymentPayload(2, requirementsFor(payee.publicKey()));
  expect(sandbox.calls.counts()).toEqual({ getLatestLedger: 1, simulateTransaction: 2 });

  const { operations } = TransactionBuilder.fromXDR(
    (payload as { transaction: string }).transaction,
    Networks.TESTNET,
  ) as Transaction;
  expect(operations).toHaveLength(1);
  const [entry] = operations[0]!.type === 'invokeHostFunction' ? operations[0].auth! : [];
  expect(inspectAuthEntry(entry!)).toMatchObject({
    address: payer.publicKey(),
    signatureExpirationLedger:
      sandbox.network.latestLedger + Math.ceil(MAX_TIMEOUT_SECONDS / SECONDS_PER_LEDGER),
  });
});

test('the stock x402 facilitator verifies and settles that payment', async () => {
  const [payer, payee, submitter] = [account(AMOUNT), account(), account()];
  const requirements = requirementsFor(payee.publicKey());
  const signed = await stockClient(payer).createPaymentPayload(2, requirements);
  const payload = { ...signed, accepted: requirements, resource: { url: 'http://seller.test' } } as any;
  const facilitator = new StockFacilitator([createEd25519Signer(submitter.secret())], {
    rpcConfig: { url: sandbox.url },
  });
  expect(await facilitator.verify(payload, requirements)).toEqual({
    isValid: true,
    payer: payer.publicKey(),
  });
  keepClosingLedgers();
  expect(await facilitator.settle(payload, requirements)).toMatchObject({
    success: true,
    payer: payer.publicKey(),
    transaction: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
  expect([usdcOf(payer.publicKey()), usdcOf(payee.publicKey())]).toEqual([0n, AMOUNT]);
  vi.spyOn(console, 'error').mockImplementation(() => {}); // It prints every failed simulation.
  expect(await facilitator.verify(payload, requirements)).toMatchObject({
    isValid: false,
    invalidReason: 'invalid_exact_stellar_payload_simulation_failed',
  });
});

test.each([
  ['17', { Keypair, contract, nativeToScVal }],
  ['14', sdk14],
])(
  'the contract client of stellar-sdk %s simulates, signs, sends and polls over https',
  async (_version, sdk) => {
    const [payer, payee] = [account(AMOUNT), account()];
    const { signTransaction } = sdk.contract.basicNodeSigner(
      sdk.Keypair.fromSecret(payer.secret()),
      Networks.TESTNET,
    );
    const party = (keypair: Keypair) => sdk.nativeToScVal(keypair.publicKey(), { type: 'address' });
    const transfer = await sdk.contract.AssembledTransaction.build({
      contractId: USDC,
      method: 'transfer',
      args: [party(payer), party(payee), sdk.nativeToScVal(AMOUNT, { type: 'i128' })],
      publicKey: payer.publicKey(),
      networkPassphrase: Networks.TESTNET,
      rpcUrl: sandbox.httpsUrl,
      parseResultXdr: (result: unknown) => result,
      signTransaction,
    });
    keepClosingLedgers();
    const sent = await transfer.signAndSend();
    expect(sent.getTransactionResponse.status).toBe('SUCCESS');
    expect(usdcOf(payee.publicKey())).toBe(AMOUNT);
  },
);

test.each([
  ['17', rpc],
  ['14', sdk14.rpc],
])('the RPC client of stellar-sdk %s reads the network over http and https', async (_version, { Server }) => {
  const address = account(AMOUNT).publicKey();
  for (const url of [sandbox.url, sandbox.httpsUrl]) {
    const server: rpc.Server = new Server(url, { allowHttp: url === sandbox.url });
    expect((await server.getHealth()).status).toBe('healthy');
    expect((await server.getNetwork()).passphrase).toBe(Networks.TESTNET);
    expect((await server.getAccount(address)).sequenceNumber()).toBe(
      String(sandbox.network.balances(address).sequence),
    );
    expect((await server.getFeeStats()).sorobanInclusionFee.p50).toMatch(/^\d+$/);
    expect((await server.getTransaction('ab'.repeat(32))).status).toBe('NOT_FOUND');
    const { events } = await server.getEvents({
      // Nothing has happened in the ledger that is still to close.
      startLedger: sandbox.network.latestLedger + 1,
      filters: [{ type: 'contract', contractIds: [USDC] }],
    });
    expect(events).toEqual([]);
  }
});

test('a contract account signs with its ed25519 key, and a submitter pays the fee', async () => {
  const [key, payee, submitter] = [Keypair.random(), account(), account()];
  const payer = sandbox.network.contractAccount(key.rawPublicKey());
  sandbox.network.mint(payer, AMOUNT);
  const server = new rpc.Server(sandbox.httpsUrl);
  const transfer = await contract.AssembledTransaction.build({
    contractId: USDC,
    method: 'transfer',
    args: transferArguments(payer, payee.publicKey()),
    publicKey: submitter.publicKey(),
    networkPassphrase: Networks.TESTNET,
    rpcUrl: sandbox.httpsUrl,
    parseResultXdr: (result) => result,
    signTransaction: contract.basicNodeSigner(submitter, Networks.TESTNET).signTransaction,
  });
  expect(transfer.needsNonInvokerSigningBy()).toEqual([payer]);
  const sign =
    (by: Keypair) => (entry: xdr.SorobanAuthorizationEntry, _signer: unknown, expiration: number) =>
      authorizeEntry(
        entry,
        async (_preimage, payload) => ({
          signatureScVal: xdr.ScVal.scvBytes(by.sign(payload)),
          address: payer,
        }),
        expiration,
        Networks.TESTNET,
      );
  const expiration = sandbox.network.latestLedger + 10;

  await transfer.signAuthEntries({
    address: payer,
    expiration,
    authorizeEntry: sign(Keypair.random()),
  });
  expect(await server.simulateTransaction(transfer.built!)).toMatchObject({
    error: expect.stringContaining('Error(Auth, InvalidAction)'),
  });

  await transfer.signAuthEntries({ address: payer, expiration, authorizeEntry: sign(key) });
  await transfer.simulate();
  keepClosingLedgers();
  const sent = await transfer.signAndSend();
  expect(sent.getTransactionResponse?.status).toBe('SUCCESS');
  expect(sandbox.network.balances(payer).usdc).toBe(0n);
  expect(usdcOf(payee.publicKey())).toBe(AMOUNT);
});
