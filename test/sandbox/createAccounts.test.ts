import { Account, Operation, TransactionBuilder, xdr } from '@stellar/stellar-sdk';
import { describe, expect, test } from 'vitest';
import { createNetwork, type Network } from '../../sandbox/network.ts';
import { keypair, PASSPHRASE, transfer, USDC, XLM_10_000 } from './wallet.ts';

const XLM = 10_000_000n;
const creator = keypair('creator');
const fresh = (name: string) => keypair(`fresh ${name}`).publicKey();
const native = (network: Network, address: string) => network.balances(address).native;

interface New {
  destination: string;
  xlm: string;
}

/** Sends what creates the accounts in one transaction, closes a ledger, and returns what became of it. */
function create(network: Network, ...accounts: New[]) {
  const sequence = String(network.balances(creator.publicKey()).sequence);
  const account = new Account(creator.publicKey(), sequence);
  const builder = new TransactionBuilder(account, { fee: '100', networkPassphrase: PASSPHRASE });
  for (const { destination, xlm } of accounts)
    builder.addOperation(Operation.createAccount({ destination, startingBalance: xlm }));
  const transaction = builder.setTimeout(60).build();
  transaction.sign(creator);
  return settle(network, transaction.toXdr());
}

function settle(network: Network, transaction: string): any {
  const ask = (method: string, params: unknown) => (network.rpc(method, params) as { result: any }).result;
  const sent = ask('sendTransaction', { transaction });
  if (sent.status === 'ERROR') return { ...sent, result: sent.errorResultXdr };
  network.closeLedger();
  const { status, resultXdr: result, ...found } = ask('getTransaction', { hash: sent.hash });
  return { status, result, ...found };
}

/** The code of each operation. */
function codesOf({ result }: { result: string }): string[] {
  const decoded = xdr.TransactionResult.fromXdr(result, 'base64').result;
  if (decoded.type !== 'txSuccess' && decoded.type !== 'txFailed') return [decoded.type];
  return decoded.results.map((one) =>
    one.type === 'opInner' && one.tr.type === 'createAccount' ? one.tr.createAccountResult.type : one.type,
  );
}

function start(): Network {
  const network = createNetwork();
  network.createAccount(creator.publicKey(), XLM_10_000);
  return network;
}

describe('accounts created by another account', () => {
  test('have what it gave them, which it and the fee of each operation cost it', () => {
    const network = start();
    const made = create(
      network,
      { destination: fresh('a'), xlm: '5' },
      { destination: fresh('b'), xlm: '7' },
    );
    expect(made.status).toBe('SUCCESS');
    expect(codesOf(made)).toEqual(['createAccountSuccess', 'createAccountSuccess']);
    expect([native(network, fresh('a')), native(network, fresh('b'))]).toEqual([5n * XLM, 7n * XLM]);
    expect(native(network, creator.publicKey())).toBe(XLM_10_000 - 12n * XLM - 200n);
    const meta = xdr.TransactionMeta.fromXdr(made.resultMetaXdr, 'base64');
    expect(
      meta.type === 'v4' && meta.v4.operations.map(({ changes }) => changes.map(({ type }) => type)),
    ).toEqual(Array(2).fill(['ledgerEntryState', 'ledgerEntryUpdated', 'ledgerEntryCreated']));
  });

  test('can pay at once, from the sequence number of their ledger', () => {
    const network = start();
    create(network, { destination: fresh('a'), xlm: '5' });
    expect(network.balances(fresh('a')).sequence).toBe(BigInt(network.latestLedger) << 32n);
  });

  test.each([
    ['one exists', creator.publicKey(), '5', 'createAccountAlreadyExist'],
    ['one gets less than two reserves', fresh('poor'), '0.9999999', 'createAccountLowReserve'],
    ['the creator cannot pay for one', fresh('rich'), '9999', 'createAccountUnderfunded'],
  ])('are none at all where %s; the fee is gone', (_case, destination, xlm, code) => {
    const network = start();
    const made = create(network, { destination: fresh('a'), xlm: '5' }, { destination, xlm });
    expect(made.status).toBe('FAILED');
    expect(codesOf(made)).toEqual(['createAccountSuccess', code]);
    expect(network.balances(fresh('a')).sequence).toBeNull();
    expect(native(network, creator.publicKey())).toBe(XLM_10_000 - 200n);
  });

  test('are no contract call: what they pay for inclusion has its own statistics', () => {
    const network = start();
    create(network, { destination: fresh('a'), xlm: '5' });
    const { result } = network.rpc('getFeeStats', undefined) as { result: any };
    expect(result.inclusionFee.transactionCount).toBe('1');
    expect(result.sorobanInclusionFee.transactionCount).toBe('0');
  });

  test('come alone: with any other operation the transaction is refused', () => {
    const network = start();
    const account = new Account(creator.publicKey(), String(network.balances(creator.publicKey()).sequence));
    const call = transfer(creator.publicKey(), USDC, 1n);
    const transaction = new TransactionBuilder(account, { fee: '100', networkPassphrase: PASSPHRASE })
      .addOperation(Operation.createAccount({ destination: fresh('a'), startingBalance: '5' }))
      .addOperation(
        new xdr.Operation({
          sourceAccount: null,
          body: xdr.OperationBody.invokeHostFunction(
            new xdr.InvokeHostFunctionOp({ hostFunction: call, auth: [] }),
          ),
        }),
      )
      .setTimeout(60)
      .build();
    transaction.sign(creator);
    expect(codesOf(settle(network, transaction.toXdr()))).toEqual(['txNotSupported']);
  });
});
