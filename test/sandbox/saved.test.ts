import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { knownKey } from '../../sandbox/knownAccounts.ts';
import { createNetwork } from '../../sandbox/network.ts';
import { parseSaved } from '../../sandbox/saved.ts';
import { keepState, readState, writeWhole } from '../../sandbox/stateFile.ts';
import { createWallet, keypair, transfer } from './wallet.ts';

const [buyer, seller, submitter] = ['buyer 1', 'seller 1', 'submitter 1'].map(knownKey) as [
  ReturnType<typeof knownKey>,
  ReturnType<typeof knownKey>,
  ReturnType<typeof knownKey>,
];
const START_MS = 1_800_000_000_000;
const HOUR_MS = 3_600_000;
const USDC_1000 = 10_000_000_000n;
const payment = transfer(buyer.publicKey(), seller.publicKey(), 5n);

/** A network that has settled a payment, and what a sandbox writes of it. */
async function stopped() {
  const network = createNetwork({ now: () => START_MS, protocol: 29 });
  const wallet = createWallet(network);
  const key = keypair('contract account').rawPublicKey();
  network.advance(3, 5_000);
  const contract = network.contractAccount(key);
  network.mint(contract, 7n);
  const transaction = await wallet.build(submitter, payment, buyer);
  const { hash } = wallet.send(transaction);
  network.closeLedger();
  return { network, transaction, hash, key, contract, text: JSON.stringify(network.save()) };
}

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'sandbox-state-'));
  onTestFinished(() => rmSync(path, { recursive: true }));
  return path;
}

test('a saved network goes on where it stopped: entries, ledgers, clock and protocol', async () => {
  const { network: before, hash, key, contract, text } = await stopped();
  const after = createNetwork({ saved: parseSaved(text), now: () => START_MS + 24 * HOUR_MS });
  expect(after.ledgers(100)).toEqual(before.ledgers(100));
  expect(after.protocol).toBe(29);
  for (const one of [buyer, seller, submitter])
    expect(after.balances(one.publicKey())).toEqual(before.balances(one.publicKey()));
  expect(after.balances(seller.publicKey()).usdc).toBe(5n);
  expect(after.rpc('getTransaction', { hash })).toEqual(before.rpc('getTransaction', { hash }));
  expect(after.contractAccount(key)).toBe(contract);
  expect(after.balances(contract).usdc).toBe(7n);

  after.closeLedger();
  const [latest, previous] = after.ledgers(2);
  expect(latest).toMatchObject({ sequence: before.latestLedger + 1, closedAtMs: previous!.closedAtMs + 1 });
  expect(JSON.parse(JSON.stringify(createNetwork({ saved: parseSaved(text) }).save()))).toEqual(
    JSON.parse(text),
  );
});

test('what was paid stays paid, and what comes next is paid', async () => {
  const { transaction, contract, text } = await stopped();
  const after = createNetwork({ saved: parseSaved(text) });
  const wallet = createWallet(after);
  expect(wallet.send(transaction).status).toBe('DUPLICATE');
  expect(wallet.settle(await wallet.build(submitter, payment, buyer)).status).toBe('SUCCESS');
  expect(after.balances(seller.publicKey()).usdc).toBe(10n);
  expect(after.balances(buyer.publicKey()).usdc).toBe(USDC_1000 - 10n);
  const second = keypair('a second one').rawPublicKey();
  expect(after.contractAccount(second)).not.toBe(contract);
});

test('the file is its owner’s alone, and is whole at every moment', async () => {
  const path = join(folder(), 'state.json');
  writeFileSync(path, 'old');
  chmodSync(path, 0o644);
  const { network, text } = await stopped();
  const keeper = keepState(network, path, (error) => expect.unreachable(error.message));
  expect(readFileSync(path, 'utf8')).toBe(text);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  network.closeLedger();
  keeper.close();
  expect(readState(path)?.ledgers.at(-1)?.sequence).toBe(network.latestLedger);
  expect(readdirSync(join(path, '..'))).toEqual(['state.json']);
});

test('a write that fails leaves the file as it was, and nothing beside it', () => {
  const directory = folder();
  const path = join(directory, 'state');
  writeWhole(path, 'old');
  // A text that cannot be encoded ends the write in the middle.
  expect(() => writeWhole(path, Symbol('no text') as never)).toThrow();
  expect(readFileSync(path, 'utf8')).toBe('old');
  expect(readdirSync(directory)).toEqual(['state']);
});

test('a file that is missing is a new network, and one with anything else an error', () => {
  const path = join(folder(), 'state.json');
  expect(readState(path)).toBeUndefined();
  for (const text of ['', '{', 'null', '{"format":"stellar-sandbox-0"}']) {
    writeFileSync(path, text);
    expect(() => readState(path)).toThrow();
  }
});
