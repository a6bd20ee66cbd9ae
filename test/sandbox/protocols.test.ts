/** What the network's protocol changes, and the vote for a newer one. */
import { xdr, type Keypair } from '@stellar/stellar-sdk';
import { describe, expect, test } from 'vitest';
import { createNetwork, type Network, type NetworkOptions } from '../../sandbox/network.ts';
import { muxedContractAddress, muxedContractIn } from '../../src/stellar/muxedContract.ts';
import { address, createWallet, i128, keypair, tokenCall, transfer, USDC, XLM_10_000 } from './wallet.ts';

const payer = keypair('payer');
const submitters = ['first', 'second', 'third'].map(keypair);
const START_MS = 1_800_000_000_000;

function start(options: NetworkOptions = {}) {
  const clock = { ms: START_MS };
  const network = createNetwork({ now: () => clock.ms, ...options });
  for (const pair of submitters) network.createAccount(pair.publicKey(), XLM_10_000);
  network.mint(payer.publicKey(), 1_000n);
  return { clock, network, ...createWallet(network) };
}

const resultOf = (network: Network, method: string): any => (network.rpc(method, {}) as any).result;

describe('an upgrade', () => {
  test('comes with the next ledger, which still runs under the old protocol', () => {
    const { network } = start({ protocol: 29 });
    network.upgrade(30);
    expect(network.protocol).toBe(29);
    network.closeLedger();
    for (const method of ['getNetwork', 'getVersionInfo', 'getLatestLedger']) {
      expect(resultOf(network, method).protocolVersion).toBe(30);
    }
    const voted = headerOf(network);
    expect(voted).toMatchObject({ protocol: 30, upgrades: 1, arm: 1 });
    network.closeLedger();
    expect(headerOf(network)).toMatchObject({ protocol: 30, upgrades: 0, arm: 3 });
  });

  test.each([28, 29, 31, NaN])('from 29 to %i is refused', (protocol) => {
    const { network } = start({ protocol: 29 });
    expect(() => network.upgrade(protocol)).toThrow('cannot upgrade from protocol 29');
    network.closeLedger();
    expect(network.protocol).toBe(29);
  });

  test('loses no payment that was made before it, simulated before it or sent across it', async () => {
    const { network, build, send } = start({ protocol: 29 });
    const pay = (by: Keypair) => build(by, transfer(payer.publicKey(), USDC, 5n), payer);
    const [before, during, after] = await Promise.all(submitters.map(pay));
    const hashes = [send(before!).hash];
    network.upgrade(30);
    network.closeLedger();
    hashes.push(send(during!).hash);
    network.closeLedger();
    hashes.push(send(after!).hash);
    network.closeLedger();
    for (const hash of hashes) {
      expect(network.rpc('getTransaction', { hash })).toMatchObject({ result: { status: 'SUCCESS' } });
    }
    expect(network.balances(USDC).usdc).toBe(15n);
  });
});

/** LedgerHeader, as far as it is of interest; the SDK cannot read the close time in milliseconds. */
function headerOf(network: Network) {
  const bytes = Buffer.from(resultOf(network, 'getLatestLedger').headerXdr, 'base64');
  const upgrades = bytes.readUInt32BE(76);
  const armAt = 80 + upgrades * 12;
  const arm = bytes.readUInt32BE(armAt);
  return {
    protocol: bytes.readUInt32BE(0),
    closeTime: bytes.readBigUInt64BE(68),
    upgrades,
    arm,
    closeTimeMs: arm === 3 ? bytes.readBigUInt64BE(armAt + 4) : undefined,
  };
}

describe('ledgers of protocol 30', () => {
  test('can share a second, and report their milliseconds', () => {
    const { clock, network } = start();
    const times = [300, 600, 900, 1_200].map((ms) => {
      clock.ms = START_MS + ms;
      network.closeLedger();
      const { closeTime, closeTimeMs } = headerOf(network);
      return [Number(closeTime) * 1000 - START_MS, Number(closeTimeMs) - START_MS];
    });
    expect(times).toEqual([
      [0, 300],
      [0, 600],
      [0, 900],
      [1_000, 1_200],
    ]);
  });

  test('of one millisecond still follow each other', () => {
    const { network } = start();
    const [first, second] = [1, 2].map(() => {
      network.closeLedger();
      return headerOf(network).closeTimeMs!;
    });
    expect(second! - first!).toBe(1n);
  });
});

describe('a muxed contract (W…)', () => {
  const recipient = muxedContractAddress({ contract: USDC, id: 7n });
  const payment = tokenCall(
    'transfer',
    address(payer.publicKey()),
    xdr.ScVal.scvAddress(recipient),
    i128(5n),
  );

  test('is paid under protocol 30: its contract gets the money, the event names the id', async () => {
    const { network, build, settle } = start();
    const { status, events } = settle(await build(submitters[0]!, payment, payer));
    expect(status).toBe('SUCCESS');
    expect(network.balances(USDC).usdc).toBe(5n);
    const [event] = events.contractEventsXdr[0];
    const { topics, data } = xdr.ContractEvent.fromXdr(event, 'base64').body.v0;
    expect(topics[2]).toEqual(address(USDC));
    expect(data.toJson()).toEqual({
      map: [
        { key: { symbol: 'amount' }, val: { i128: '5' } },
        { key: { symbol: 'to_muxed_id' }, val: { u64: '7' } },
      ],
    });
  });

  test('is in the recorded authorization and in what the payer signs', async () => {
    const { authorize } = start();
    const [{ rootInvocation }] = (await authorize(payment, payer)) as [xdr.SorobanAuthorizationEntry];
    const authorized = rootInvocation.function;
    if (authorized.type !== 'sorobanAuthorizedFunctionTypeContractFn') throw new Error('expected a call');
    const [, to] = authorized.contractFn.args;
    expect(to?.type === 'scvAddress' && muxedContractIn(to.address)).toEqual({ contract: USDC, id: 7n });
  });

  test('is XDR that protocol 29 does not know', async () => {
    const { build } = start();
    const signed = await build(submitters[0]!, payment, payer);
    const { network, send, unsigned } = start({ protocol: 29 });
    const simulated: any = network.rpc('simulateTransaction', { transaction: unsigned(payment) });
    expect(simulated.result).toEqual({ latestLedger: network.latestLedger, error: 'xdr value invalid' });
    const { status, errorResultXdr } = send(signed);
    expect(status).toBe('ERROR');
    expect(xdr.TransactionResult.fromXdr(errorResultXdr, 'base64').result.type).toBe('txMalformed');
  });
});
