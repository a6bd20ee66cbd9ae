/** A client of the sandbox network, made of the stock SDK's parts: builds, signs and sends token calls. */
import {
  Account,
  Address,
  authorizeEntry,
  Keypair,
  nativeToScVal,
  SorobanDataBuilder,
  TransactionBuilder,
  xdr,
} from '@stellar/stellar-sdk';
import type { Network } from '../../sandbox/network.ts';

export const PASSPHRASE = 'Test SDF Network ; September 2015';
export const USDC = 'CBIELTK6YBZJU5UP2WWQEUCYKLPU6AUNZ2BQ4WWFEIE3USCIHMXQDAMA';
/** Stroops: the whole of a friendbot's gift, and an inclusion fee of one operation. */
export const XLM_10_000 = 100_000_000_000n;
const INCLUSION_FEE = 100n;
const EXPIRATION_LEDGERS = 12;
/** Source of simulations that nobody signs. */
const NOBODY = 'GAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAWHF';

/** Who signs authorization entries: an account's key, or a function of the payload's hash. */
export type Signer = Parameters<typeof authorizeEntry>[1];

export interface SendOptions {
  inclusionFee?: bigint;
  /** Seconds from 1970; 0 for no end. */
  maxTime?: number;
}

/** The same key for the same name. */
export const keypair = (name: string) => Keypair.fromRawEd25519Seed(Buffer.from(name.padEnd(32, '.')));

export const address = (text: string) => new Address(text).toScVal();
export const i128 = (value: bigint) => nativeToScVal(value, { type: 'i128' });
export const u32 = (value: number) => nativeToScVal(value, { type: 'u32' });

export function contractCall(contract: string, name: string, ...args: xdr.ScVal[]): xdr.HostFunction {
  const contractAddress = new Address(contract).toScAddress();
  return xdr.HostFunction.hostFunctionTypeInvokeContract(
    new xdr.InvokeContractArgs({ contractAddress, functionName: name, args }),
  );
}

export function tokenCall(name: string, ...args: xdr.ScVal[]): xdr.HostFunction {
  return contractCall(USDC, name, ...args);
}

export function transfer(from: string, to: string, amount: bigint): xdr.HostFunction {
  return tokenCall('transfer', address(from), address(to), i128(amount));
}

/** The operation as it comes over the wire: the SDK's own builder refuses some of what the network has to. */
function invocation(hostFunction: xdr.HostFunction, auth: xdr.SorobanAuthorizationEntry[]): xdr.Operation {
  const body = xdr.OperationBody.invokeHostFunction(new xdr.InvokeHostFunctionOp({ hostFunction, auth }));
  return new xdr.Operation({ sourceAccount: null, body });
}

export interface Wallet {
  /** The call in an envelope that nobody signed, as it is simulated. */
  unsigned(func: xdr.HostFunction, auth?: xdr.SorobanAuthorizationEntry[]): string;
  simulate(func: xdr.HostFunction, auth?: xdr.SorobanAuthorizationEntry[]): any;
  /** The entries that a call needs, signed. */
  authorize(func: xdr.HostFunction, signer: Signer): Promise<xdr.SorobanAuthorizationEntry[]>;
  /** An authorized call from `source`, priced and signed. */
  build(source: Keypair, func: xdr.HostFunction, signer: Signer, options?: SendOptions): Promise<string>;
  send(transaction: string): any;
  /** Sends, closes a ledger, and returns what became of the transaction. */
  settle(transaction: string): any;
}

export function createWallet(network: Network): Wallet {
  const ask = (method: string, params: unknown): any => {
    const answer = network.rpc(method, params);
    if ('error' in answer) throw new Error(`${method}: ${answer.error.message}`);
    return answer.result;
  };
  const envelope = (
    source: Account,
    func: xdr.HostFunction,
    auth: xdr.SorobanAuthorizationEntry[],
    { inclusionFee = INCLUSION_FEE, maxTime = 0, data }: SendOptions & { data?: string } = {},
  ) => {
    // The builder adds the resource fee that the data declares.
    const fee = String(inclusionFee);
    const builder = new TransactionBuilder(source, { fee, networkPassphrase: PASSPHRASE })
      .addOperation(invocation(func, auth))
      .setTimebounds(0, maxTime);
    if (data) builder.setSorobanData(new SorobanDataBuilder(data).build());
    return builder.build();
  };
  const wallet: Wallet = {
    unsigned: (func, auth = []) => envelope(new Account(NOBODY, '0'), func, auth).toXdr(),
    simulate: (func, auth = []) => ask('simulateTransaction', { transaction: wallet.unsigned(func, auth) }),
    async authorize(func, signer) {
      const recorded = wallet.simulate(func).results[0].auth;
      const expiration = network.latestLedger + EXPIRATION_LEDGERS;
      return Promise.all(
        recorded.map((entry: string) =>
          authorizeEntry(
            xdr.SorobanAuthorizationEntry.fromXdr(entry, 'base64'),
            signer,
            expiration,
            PASSPHRASE,
          ),
        ),
      );
    },
    async build(source, func, signer, { inclusionFee = INCLUSION_FEE, maxTime = 0 } = {}) {
      const auth = await wallet.authorize(func, signer);
      const { transactionData, error } = wallet.simulate(func, auth);
      if (error) throw new Error(error);
      const { sequence } = network.balances(source.publicKey());
      const account = new Account(source.publicKey(), String(sequence));
      const built = envelope(account, func, auth, { inclusionFee, maxTime, data: transactionData });
      built.sign(source);
      return built.toXdr();
    },
    send: (transaction) => ask('sendTransaction', { transaction }),
    settle(transaction) {
      const { status, hash } = wallet.send(transaction);
      if (status !== 'PENDING') throw new Error(`sendTransaction answered ${status}`);
      network.closeLedger();
      return ask('getTransaction', { hash });
    },
  };
  return wallet;
}
