/** Rules beyond the recordings: what the real host answers to values that it has no form for. */
import { Address, xdr } from '@stellar/stellar-sdk';
import { describe, expect, test } from 'vitest';
import { createNetwork } from '../../sandbox/network.ts';
import { address, createWallet, i128, keypair, tokenCall, transfer, u32, XLM_10_000 } from './wallet.ts';

const payer = keypair('payer');
const payee = keypair('payee');
const stranger = keypair('stranger');
const network = createNetwork();
for (const pair of [payer, payee, stranger]) network.createAccount(pair.publicKey(), XLM_10_000);
network.mint(payer.publicKey(), 1_000n);
network.mint(payee.publicKey(), 1_000n);
const { authorize, simulate } = createWallet(network);

const accountOf = (text: string) => new Address(text).toScAddress();
const MUXED = xdr.ScAddress.scAddressTypeMuxedAccount(
  new xdr.MuxedEd25519Account({ id: 7n, ed25519: payer.rawPublicKey() }),
);
const CLAIMABLE_BALANCE = xdr.ScAddress.scAddressTypeClaimableBalance(
  xdr.ClaimableBalanceId.claimableBalanceIdTypeV0(Buffer.alloc(32, 3)),
);
const POOL = xdr.ScAddress.scAddressTypeLiquidityPool(new xdr.PoolId(Buffer.alloc(32, 3)));
const OTHER_ADDRESSES: [string, xdr.ScAddress][] = [
  ['a muxed account', MUXED],
  ['a claimable balance', CLAIMABLE_BALANCE],
  ['a liquidity pool', POOL],
];
const VOID = xdr.ScVal.scvVoid();
const payment = transfer(payer.publicKey(), payee.publicKey(), 5n);

function callOf(func: xdr.HostFunction): xdr.InvokeContractArgs {
  if (func.type !== 'hostFunctionTypeInvokeContract') throw new Error('expected a contract call');
  return func.invokeContract;
}

function invocationOf(
  call: xdr.InvokeContractArgs,
  ...subInvocations: xdr.SorobanAuthorizedInvocation[]
): xdr.SorobanAuthorizedInvocation {
  const authorized = xdr.SorobanAuthorizedFunction.sorobanAuthorizedFunctionTypeContractFn(call);
  return new xdr.SorobanAuthorizedInvocation({ function: authorized, subInvocations });
}

interface EntryParts {
  signer?: xdr.ScAddress;
  signature?: xdr.ScVal;
  invocation?: xdr.SorobanAuthorizedInvocation;
}

function credentialsOf({ signer = accountOf(stranger.publicKey()), signature = VOID }: EntryParts) {
  return new xdr.SorobanAddressCredentials({
    ...{ address: signer, signature, nonce: 9n },
    signatureExpirationLedger: network.latestLedger + 12,
  });
}

type Credentials = (signed: xdr.SorobanAddressCredentials) => xdr.SorobanCredentials;
const withDelegates =
  (...delegates: xdr.SorobanDelegateSignature[]): Credentials =>
  (addressCredentials) =>
    xdr.SorobanCredentials.sorobanCredentialsAddressWithDelegates(
      new xdr.SorobanAddressCredentialsWithDelegates({ addressCredentials, delegates }),
    );
const CREDENTIALS: [string, Credentials][] = [
  ['address', (signed) => xdr.SorobanCredentials.sorobanCredentialsAddress(signed)],
  ['address V2', (signed) => xdr.SorobanCredentials.sorobanCredentialsAddressV2(signed)],
  ['address with delegates', withDelegates()],
];
const PLAIN: Credentials = (signed) => xdr.SorobanCredentials.sorobanCredentialsAddress(signed);

/** An entry of a stranger that the payment has no use for. */
function unusedEntry(parts: EntryParts, credentials = PLAIN): xdr.SorobanAuthorizationEntry {
  const rootInvocation = parts.invocation ?? invocationOf(callOf(payment));
  return new xdr.SorobanAuthorizationEntry({
    credentials: credentials(credentialsOf(parts)),
    rootInvocation,
  });
}

/** A payment that its payer signed, with one more entry. */
async function simulateWith(entry: xdr.SorobanAuthorizationEntry) {
  return simulate(payment, [...(await authorize(payment, payer)), entry]);
}

function delegate(
  signer: xdr.ScAddress,
  nestedDelegates: xdr.SorobanDelegateSignature[] = [],
): xdr.SorobanDelegateSignature {
  return new xdr.SorobanDelegateSignature({ address: signer, signature: VOID, nestedDelegates });
}

/** The first line of the error, and the messages of its events. */
function failureOf({ error, events }: { error: string; events: string[] }) {
  const messages = events.map((text) => {
    const { topics, data } = xdr.DiagnosticEvent.fromXdr(text, 'base64').event.body.v0;
    const name = topics[0]?.type === 'scvSymbol' ? topics[0].sym.toString() : '';
    const message = data.type === 'scvVec' ? data.vec?.[0] : data;
    return name === 'error' && message?.type === 'scvString' ? message.str.toString() : name;
  });
  return { error: error.split('\n')[0], messages };
}

const INVALID_OBJECT = { error: 'HostError: Error(Object, InvalidInput)', messages: [] };
const UNEXPECTED_TYPE = { error: 'HostError: Error(Value, UnexpectedType)', messages: [] };
const UNEXPECTED_OBJECT = { error: 'HostError: Error(Object, UnexpectedType)', messages: [] };
const INVALID_VALUE = { error: 'HostError: Error(Value, InvalidInput)', messages: [] };
const INVALID_AUTH = { error: 'HostError: Error(Auth, InvalidInput)', messages: [] };

test('an entry that no call uses does no harm if the host can hold it', async () => {
  for (const [, credentials] of CREDENTIALS) {
    expect((await simulateWith(unusedEntry({}, credentials))).error).toBeUndefined();
  }
});

describe('an entry that the host cannot hold fails the simulation without an event, used or not', () => {
  const kinds = CREDENTIALS.flatMap(([kind, credentials]) =>
    OTHER_ADDRESSES.map(([what, signer]) => ({ kind, what, credentials, signer })),
  );
  test.each(kinds)('$kind credentials of $what', async ({ credentials, signer }) => {
    expect(failureOf(await simulateWith(unusedEntry({ signer }, credentials)))).toEqual(INVALID_OBJECT);
  });

  test.each(OTHER_ADDRESSES)('%s as a delegate, or as its delegate', async (_what, signer) => {
    for (const found of [delegate(signer), delegate(accountOf(payee.publicKey()), [delegate(signer)])]) {
      const entry = unusedEntry({}, withDelegates(found));
      expect(failureOf(await simulateWith(entry))).toEqual(INVALID_OBJECT);
    }
  });

  test.each(OTHER_ADDRESSES)(
    '%s as the contract of an authorized call, or of one within it',
    async (_what, to) => {
      const inner = invocationOf(new xdr.InvokeContractArgs({ ...callOf(payment), contractAddress: to }));
      for (const invocation of [inner, invocationOf(callOf(payment), inner)]) {
        expect(failureOf(await simulateWith(unusedEntry({ invocation })))).toEqual(INVALID_OBJECT);
      }
    },
  );

  test('delegates out of order, or twice the same', async () => {
    const [first, second] = [payer, payee]
      .sort((a, b) => Buffer.compare(a.rawPublicKey(), b.rawPublicKey()))
      .map((pair) => delegate(accountOf(pair.publicKey())));
    const simulated = (...delegates: (xdr.SorobanDelegateSignature | undefined)[]) =>
      simulateWith(unusedEntry({}, withDelegates(...delegates.filter((found) => found !== undefined))));
    expect((await simulated(first, second)).error).toBeUndefined();
    expect(failureOf(await simulated(second, first))).toEqual(INVALID_AUTH);
    expect(failureOf(await simulated(first, first))).toEqual(INVALID_AUTH);
  });

  const field = (name: string) => new xdr.ScMapEntry({ key: xdr.ScVal.scvSymbol(name), val: VOID });
  test.each<[string, xdr.ScVal, object]>([
    ['a vector without a body', xdr.ScVal.scvVec(null), UNEXPECTED_TYPE],
    ['a map without a body', xdr.ScVal.scvMap(null), UNEXPECTED_TYPE],
    ['a vector of a vector without a body', xdr.ScVal.scvVec([xdr.ScVal.scvVec(null)]), UNEXPECTED_TYPE],
    ['a key of the ledger', xdr.ScVal.scvLedgerKeyContractInstance(), UNEXPECTED_TYPE],
    ['the address of a liquidity pool', xdr.ScVal.scvAddress(POOL), UNEXPECTED_OBJECT],
    ['a map out of order', xdr.ScVal.scvMap([field('b'), field('aa')]), INVALID_OBJECT],
    ['a map with a field twice', xdr.ScVal.scvMap([field('a'), field('a')]), INVALID_OBJECT],
    ['a symbol with a space', xdr.ScVal.scvSymbol('a b'), INVALID_VALUE],
  ])('%s as a signature or as an authorized argument', async (_what, value, failure) => {
    const [signed] = await authorize(payment, payer);
    if (signed?.credentials.type !== 'sorobanCredentialsAddress') throw new Error('expected an address');
    const signature = new xdr.SorobanAddressCredentials({ ...signed.credentials.address, signature: value });
    const used = new xdr.SorobanAuthorizationEntry({ ...signed, credentials: PLAIN(signature) });
    expect(failureOf(simulate(payment, [used]))).toEqual(failure);
    expect(failureOf(await simulateWith(unusedEntry({ signature: value })))).toEqual(failure);
    const invocation = invocationOf(callOf(tokenCall('other', value)));
    expect(failureOf(await simulateWith(unusedEntry({ invocation })))).toEqual(failure);
  });
});

describe('a call that the host cannot hold fails before the contract is called', () => {
  const CONVERSION = 'failed to convert ScVal to host value';
  const party = address(payer.publicKey());

  test.each(OTHER_ADDRESSES.slice(1))('%s pays or is paid', (_what, other) => {
    const messages = ['encountered unsupported ScAddress type', CONVERSION];
    const held = xdr.ScVal.scvAddress(other);
    for (const parties of [
      [held, party],
      [party, held],
    ]) {
      const call = tokenCall('transfer', ...parties, i128(5n));
      expect(failureOf(simulate(call))).toEqual({ ...UNEXPECTED_OBJECT, messages });
    }
  });

  test('a muxed account may be paid, but cannot pay', () => {
    const muxed = xdr.ScVal.scvAddress(MUXED);
    expect(simulate(tokenCall('transfer', party, muxed, i128(5n))).error).toBeUndefined();
    const { error } = failureOf(simulate(tokenCall('transfer', muxed, party, i128(5n))));
    expect(error).toBe('HostError: Error(Value, UnexpectedType)');
  });

  test.each<[string, xdr.ScVal, object]>([
    ['a vector without a body', xdr.ScVal.scvVec(null), { ...UNEXPECTED_TYPE, messages: [CONVERSION] }],
    [
      'a vector of a map without a body',
      xdr.ScVal.scvVec([xdr.ScVal.scvMap(null)]),
      { ...UNEXPECTED_TYPE, messages: [CONVERSION, CONVERSION] },
    ],
    ['a short symbol with a space', xdr.ScVal.scvSymbol('a b'), { ...INVALID_VALUE, messages: [CONVERSION] }],
    [
      'a long symbol with a space',
      xdr.ScVal.scvSymbol('longer than nine'),
      { ...INVALID_VALUE, messages: ['byte is not allowed in Symbol', CONVERSION] },
    ],
  ])('%s as the amount', (_what, amount, failure) => {
    expect(failureOf(simulate(tokenCall('transfer', party, party, amount)))).toEqual(failure);
  });

  test('a function name with a space', () => {
    const messages = ['byte is not allowed in Symbol'];
    expect(failureOf(simulate(tokenCall('a b')))).toEqual({ ...INVALID_VALUE, messages });
  });

  test.each([...OTHER_ADDRESSES, ['an account', accountOf(payer.publicKey())] as const])(
    '%s is no contract',
    (_what, contractAddress) => {
      const call = new xdr.InvokeContractArgs({ ...callOf(payment), contractAddress });
      const func = xdr.HostFunction.hostFunctionTypeInvokeContract(call);
      const messages = ["invoked address doesn't belong to a contract"];
      expect(failureOf(simulate(func))).toEqual({ ...UNEXPECTED_TYPE, messages });
      const authorized = unusedEntry({ invocation: invocationOf(call) });
      const isHeld = contractAddress.type === 'scAddressTypeAccount';
      expect(failureOf(simulate(func, [authorized]))).toEqual(
        isHeld ? { ...UNEXPECTED_TYPE, messages } : INVALID_OBJECT,
      );
    },
  );
});

test.each([
  ['init_asset', 1],
  ['burn_from', 3],
  ['clawback', 2],
  ['set_authorized', 2],
  ['set_admin', 1],
  ['trust', 1],
  ['transfer', 3],
])('%s wants %i arguments', (name, arity) => {
  const failure = {
    error: 'HostError: Error(Context, UnexpectedSize)',
    messages: ['fn_call', 'wrong number of args to func'],
  };
  for (const count of [arity - 1, arity + 1]) {
    expect(failureOf(simulate(tokenCall(name, ...Array<xdr.ScVal>(count).fill(u32(1)))))).toEqual(failure);
  }
});
