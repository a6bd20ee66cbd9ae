import { xdr, type Keypair } from '@stellar/stellar-sdk';
import { describe, expect, test } from 'vitest';
import { knownKey } from '../../sandbox/knownAccounts.ts';
import { createNetwork, type Network } from '../../sandbox/network.ts';
import { HISTORY_LIMITS } from '../../sandbox/protocol.ts';
import {
  address,
  contractCall,
  createWallet,
  i128,
  keypair,
  tokenCall,
  transfer,
  u32,
  USDC,
  XLM_10_000,
  type Signer,
} from './wallet.ts';

const payer = keypair('payer');
const payee = keypair('payee');
const submitter = keypair('submitter');
const other = keypair('other');
const START_MS = 1_800_000_000_000;

/** A network with a payer and a payee of 1,000 base units each, two submitters, and a clock to set. */
function start() {
  const clock = { ms: START_MS };
  const network = createNetwork({ now: () => clock.ms });
  for (const pair of [payer, payee, submitter, other]) network.createAccount(pair.publicKey(), XLM_10_000);
  network.mint(payer.publicKey(), 1_000n);
  network.mint(payee.publicKey(), 1_000n);
  return { clock, network, ...createWallet(network) };
}

const pay = (amount: bigint) => transfer(payer.publicKey(), payee.publicKey(), amount);
const usdcOf = (network: Network, pair: Keypair) => network.balances(pair.publicKey()).usdc;

describe('funding', () => {
  test('an account is created once, with the balance that was asked for', () => {
    const { network } = start();
    const fresh = keypair('fresh').publicKey();
    expect(network.balances(fresh)).toEqual({ native: 0n, usdc: 0n, eurc: 0n, sequence: null });
    network.createAccount(fresh, 5n);
    expect(network.balances(fresh)).toEqual({ native: 5n, usdc: 0n, eurc: 0n, sequence: 1000n << 32n });
    expect(() => network.createAccount(fresh, 5n)).toThrow('account already exists');
  });

  test('a malformed address is refused with its text', () => {
    const { network } = start();
    expect(() => network.createAccount('GNOPE', 1n)).toThrow('malformed address: GNOPE');
    expect(() => network.mint('', 1n)).toThrow('malformed address');
    expect(() => network.createAccount(USDC, 1n)).toThrow('not an account address');
  });

  test('minting opens the account and the trustline', () => {
    const { network } = start();
    const fresh = keypair('fresh').publicKey();
    network.mint(fresh, 7n);
    network.mint(fresh, 3n, 'native');
    expect(network.balances(fresh)).toMatchObject({ native: XLM_10_000 + 3n, usdc: 7n });
  });

  test('a contract address holds balances without an account', () => {
    const { network } = start();
    network.mint(USDC, 7n);
    network.mint(USDC, 2n);
    expect(network.balances(USDC)).toEqual({ native: 0n, usdc: 9n, eurc: 0n, sequence: null });
  });

  test('a balance over the limit of 2^63 - 1 is refused', () => {
    const { network } = start();
    expect(() => network.mint(payer.publicKey(), 2n ** 63n)).toThrow('over the limit');
  });
});

describe('the contract account of an ed25519 key', () => {
  const key = keypair('contract account');
  const signs =
    (sign: (payload: Uint8Array) => Uint8Array): Signer =>
    async (_preimage, payload) => ({
      signatureScVal: xdr.ScVal.scvBytes(sign(payload)),
    });

  test('pays when its key signed the payload', async () => {
    const { network, build, settle } = start();
    const account = network.contractAccount(key.rawPublicKey());
    network.mint(account, 100n);
    const call = transfer(account, payee.publicKey(), 60n);
    const settled = settle(
      await build(
        submitter,
        call,
        signs((payload) => key.sign(payload)),
      ),
    );
    expect(settled.status).toBe('SUCCESS');
    expect(network.balances(account).usdc).toBe(40n);
    expect(usdcOf(network, payee)).toBe(1_060n);
  });

  test('has one address per key', () => {
    const { network } = start();
    expect(network.contractAccount(key.rawPublicKey())).toBe(network.contractAccount(key.rawPublicKey()));
    expect(network.contractAccount(key.rawPublicKey())).not.toBe(
      network.contractAccount(payer.rawPublicKey()),
    );
  });

  test.each([
    ['signed by another key', (payload: Uint8Array) => other.sign(payload)],
    ['shorter than 64 bytes', (payload: Uint8Array) => key.sign(payload).slice(1)],
  ])('traps on a signature that is %s', async (_name, sign) => {
    const { network, authorize, simulate } = start();
    const account = network.contractAccount(key.rawPublicKey());
    network.mint(account, 100n);
    const call = transfer(account, payee.publicKey(), 60n);
    const { error, events } = simulate(call, await authorize(call, signs(sign)));
    expect(error).toMatch(/^HostError: Error\(Auth, InvalidAction\)\n/);
    expect(error).toContain('VM call trapped');
    expect(events.length).toBeGreaterThan(2);
  });

  test('has no functions of its own', () => {
    const { network, simulate } = start();
    const call = contractCall(network.contractAccount(key.rawPublicKey()), 'balance');
    expect(simulate(call).error).toMatch(/^HostError: Error\(WasmVm, MissingValue\)\n/);
  });
});

describe('allowances', () => {
  const spend = (amount: bigint) =>
    tokenCall(
      'transfer_from',
      ...[other, payer, payee].map((pair) => address(pair.publicKey())),
      i128(amount),
    );
  const approve = (amount: bigint, until: number) =>
    tokenCall('approve', address(payer.publicKey()), address(other.publicKey()), i128(amount), u32(until));

  test('a spender moves what it was allowed, and no more', async () => {
    const { network, build, settle, simulate } = start();
    expect(settle(await build(submitter, approve(100n, 2_000), payer)).status).toBe('SUCCESS');
    expect(settle(await build(submitter, spend(60n), other)).status).toBe('SUCCESS');
    expect(usdcOf(network, payee)).toBe(1_060n);
    expect(simulate(spend(41n)).error).toContain('not enough allowance to spend');
    expect(simulate(spend(40n)).error).toBeUndefined();
  });

  test('an allowance ends with its ledger', async () => {
    const { network, build, settle, simulate } = start();
    settle(await build(submitter, approve(100n, network.latestLedger + 2), payer));
    expect(simulate(spend(1n)).error).toBeUndefined();
    network.closeLedger();
    expect(simulate(spend(1n)).error).toContain('not enough allowance to spend');
  });
});

describe('pending transactions', () => {
  test('apply in order of arrival: the first one gets the balance', async () => {
    const { network, build, send, settle } = start();
    const first = await build(submitter, pay(1_000n), payer);
    const second = await build(other, pay(1_000n), payer);
    send(second);
    const { status } = settle(first);
    expect(status).toBe('FAILED');
    expect(usdcOf(network, payee)).toBe(2_000n);
  });

  test('are dropped without a fee when their time is over before a ledger closes', async () => {
    const { clock, network, build, send } = start();
    const { status, hash } = send(await build(submitter, pay(1n), payer, { maxTime: START_MS / 1000 + 10 }));
    clock.ms += 11_000;
    network.closeLedger();
    const answer = network.rpc('getTransaction', { hash });
    expect(status).toBe('PENDING');
    expect(answer).toMatchObject({ result: { status: 'NOT_FOUND' } });
    expect(network.balances(submitter.publicKey())).toMatchObject({
      native: XLM_10_000,
      sequence: 1000n << 32n,
    });
  });

  test('that settled answer DUPLICATE when sent again', async () => {
    const { build, send, settle } = start();
    const transaction = await build(submitter, pay(1n), payer);
    settle(transaction);
    expect(send(transaction).status).toBe('DUPLICATE');
  });
});

describe('a surge of inclusion fees', () => {
  test('refuses lower bids with txInsufficientFee', async () => {
    const { network, build, send } = start();
    network.setBaseInclusionFee(500);
    const { status, errorResultXdr } = send(await build(submitter, pay(1n), payer, { inclusionFee: 499n }));
    expect(status).toBe('ERROR');
    expect(xdr.TransactionResult.fromXdr(errorResultXdr, 'base64').result.type).toBe('txInsufficientFee');
  });

  test('charges what is asked, not what is bid', async () => {
    const { network, build, settle } = start();
    const charged = async (bid: bigint) => {
      const before = network.balances(submitter.publicKey()).native;
      expect(settle(await build(submitter, pay(1n), payer, { inclusionFee: bid })).status).toBe('SUCCESS');
      return before - network.balances(submitter.publicKey()).native;
    };
    const calm = await charged(9_000n);
    network.setBaseInclusionFee(500);
    expect((await charged(9_000n)) - calm).toBe(400n);
  });

  test('shows in the fee statistics', async () => {
    const { network, build, settle } = start();
    settle(await build(submitter, pay(1n), payer));
    network.setBaseInclusionFee(500);
    expect(network.rpc('getFeeStats', undefined)).toMatchObject({
      result: { sorobanInclusionFee: { min: '500', p50: '500', max: '500', transactionCount: '1' } },
    });
  });
});

describe('history', () => {
  test('ledgers come newest first, each later than the one before', () => {
    const { clock, network } = start();
    clock.ms += 5_000;
    network.closeLedger();
    network.closeLedger();
    const [latest, middle, first] = network.ledgers(3);
    expect([latest, middle, first].map((ledger) => ledger?.sequence)).toEqual([1002, 1001, 1000]);
    const closedAtMs = [latest, middle, first].map((ledger) => ledger?.closedAtMs);
    expect(closedAtMs).toEqual([START_MS + 5_001, START_MS + 5_000, START_MS]);
    expect(new Set(network.ledgers(3).map(({ hash }) => hash)).size).toBe(3);
    expect(network.ledgers(1)).toEqual([latest]);
  });

  test('is bounded: the oldest ledgers are forgotten', () => {
    const { network } = start();
    for (let count = 0; count < HISTORY_LIMITS.ledgers + 5; count++) network.closeLedger();
    expect(network.ledgers(Infinity)).toHaveLength(HISTORY_LIMITS.ledgers);
    expect(network.rpc('getHealth', undefined)).toMatchObject({
      result: { oldestLedger: network.latestLedger - HISTORY_LIMITS.ledgers + 1 },
    });
  });

  test('pages through transactions and ledgers with a cursor', async () => {
    const { network, build, settle } = start();
    const hashes = [];
    for (const amount of [1n, 2n, 3n]) hashes.push(settle(await build(submitter, pay(amount), payer)).txHash);
    const pages: any[] = [];
    for (let cursor = ''; pages.length < 3; cursor = pages.at(-1).cursor) {
      const page = network.rpc('getTransactions', { startLedger: 1000, pagination: { limit: 1, cursor } });
      pages.push('result' in page ? page.result : undefined);
    }
    expect(pages.flatMap(({ transactions }) => transactions.map(({ txHash }: any) => txHash))).toEqual(
      hashes,
    );
    const first = network.rpc('getLedgers', { startLedger: 1000, pagination: { limit: 2 } }) as any;
    const next = network.rpc('getLedgers', { pagination: { limit: 2, cursor: first.result.cursor } }) as any;
    expect([...first.result.ledgers, ...next.result.ledgers].map(({ sequence }: any) => sequence)).toEqual([
      1000, 1001, 1002, 1003,
    ]);
  });

  test('finds events by their topics', async () => {
    const { network, build, settle } = start();
    const { txHash } = settle(await build(submitter, pay(1n), payer));
    settle(await build(submitter, transfer(payee.publicKey(), payer.publicKey(), 2n), payee));
    const topics = [
      [xdr.ScVal.scvSymbol('transfer').toXdr('base64'), address(payer.publicKey()).toXdr('base64'), '**'],
    ];
    const answer: any = network.rpc('getEvents', {
      startLedger: 1000,
      filters: [{ contractIds: [USDC], topics }],
    });
    expect(answer.result.events.map((event: any) => event.txHash)).toEqual([txHash]);
  });
});

describe('what a caller does wrong is an error value', () => {
  test.each([
    ['getLedgerEntries', {}],
    ['getLedgerEntries', { keys: Array(201).fill('AAAA') }],
    ['sendTransaction', undefined],
    ['sendTransaction', { transaction: 'not base64' }],
    ['simulateTransaction', { transaction: '' }],
    ['getTransaction', { hash: 5 }],
    ['getTransactions', { startLedger: -1 }],
    ['getEvents', { startLedger: 1000, pagination: { limit: 0 } }],
    ['getLedgers', { startLedger: 1 }],
  ])('%s with %j', (method, params) => {
    expect(start().network.rpc(method, params)).toMatchObject({ error: { code: -32602 } });
  });

  test('a name that every object has is no method', () => {
    expect(start().network.rpc('toString', {})).toMatchObject({ error: { code: -32601 } });
  });
});

describe('a reset', () => {
  const [buyer, seller, submitterOne] = [knownKey('buyer 1'), knownKey('seller 1'), knownKey('submitter 1')];
  const call = transfer(buyer.publicKey(), seller.publicKey(), 5n);

  test('forgets what was settled', async () => {
    const { network, build, settle } = start();
    expect(settle(await build(submitterOne, call, buyer)).status).toBe('SUCCESS');
    network.reset();
    expect(usdcOf(network, seller)).toBe(0n);
    const answer = network.rpc('getTransactions', { startLedger: 1000 });
    expect(answer).toMatchObject({ result: { transactions: [] } });
  });

  test('drops what waits for a ledger', async () => {
    const { network, build, send } = start();
    expect(send(await build(submitterOne, call, buyer)).status).toBe('PENDING');
    network.reset();
    network.closeLedger();
    expect(usdcOf(network, seller)).toBe(0n);
  });
});
