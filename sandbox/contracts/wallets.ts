/** Makes common kinds of wallet, as payers: contract accounts, each with its own keys and form of signature. */
import { createECDH, createHash, createPrivateKey, sign as signBytes } from 'node:crypto';
import { Keypair, nativeToScVal, xdr } from '@stellar/stellar-sdk';
import type { Contracts } from './deploy.ts';

/** A contract account, and what signs for it. */
export interface Wallet {
  /** C… */
  address: string;
  /** Returns the signature that its `__check_auth` expects for a payload of 32 bytes. */
  sign(payload: Buffer): xdr.ScVal;
}

export type Wallets = ReturnType<typeof createWallets>;

/** Makes wallets. The keys depend only on the order of the calls, so every run has the same ones. */
export function createWallets(contracts: Pick<Contracts, 'deploy'>, seed = 'wallet') {
  let seeds = 0;
  const nextSeed = () => createHash('sha256').update(`${seed} ${seeds++}`).digest();
  const nextKey = () => Keypair.fromRawEd25519Seed(nextSeed());

  /** Makes a wallet with one ed25519 key, which its constructor takes before `args`. */
  const ofOneKey = async (
    name: 'ed25519' | 'limited' | 'costly' | 'bulky' | 'two_faced',
    ...args: xdr.ScVal[]
  ): Promise<Wallet> => {
    const key = nextKey();
    const address = await contracts.deploy(name, [bytes(key.rawPublicKey()), ...args]);
    return { address, sign: (payload) => bytes(key.sign(payload)) };
  };

  return {
    ed25519: () => ofOneKey('ed25519'),
    /** Refuses transfers above the limit, and those that exceed the budget in total. */
    limited: (limit: bigint, budget: bigint) => ofOneKey('limited', i128(limit), i128(budget)),
    /** Its check takes some 7,000 instructions for each round. */
    costly: (rounds: number) => ofOneKey('costly', u32(rounds)),
    /** Has much code besides its check. */
    bulky: () => ofOneKey('bulky'),
    /** Plays no trick until its `play` is called. */
    twoFaced: () => ofOneKey('two_faced'),
    /** Checks nothing. */
    async cheap(rounds: number): Promise<Wallet> {
      return { address: await contracts.deploy('cheap', [u32(rounds)]), sign: () => xdr.ScVal.scvBool(true) };
    },
    async twoOfThree(): Promise<Wallet> {
      const keys = [nextKey(), nextKey(), nextKey()];
      const publicKeys = xdr.ScVal.scvVec(keys.map((key) => bytes(key.rawPublicKey())));
      const address = await contracts.deploy('two_of_three', [publicKeys]);
      // The first and the last key: any two are enough.
      const sign = (payload: Buffer) =>
        xdr.ScVal.scvVec(
          [0, 2].map((key) => record({ key: u32(key), signature: bytes(keys[key]!.sign(payload)) })),
        );
      return { address, sign };
    },
    async passkey(): Promise<Wallet> {
      const passkey = createPasskey(nextSeed());
      const address = await contracts.deploy('passkey', [bytes(passkey.publicKey)]);
      return { address, sign: passkey.sign };
    },
  };
}

/** The order of P-256's group. */
const P256_ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
const SCALAR_BYTES = 32;
const USER_PRESENT_AND_VERIFIED = 0x05;

/** Does what an authenticator and a browser do together, for a page of wallet.test. */
function createPasskey(seed: Buffer): { publicKey: Buffer; sign: Wallet['sign'] } {
  const ecdh = createECDH('prime256v1');
  ecdh.setPrivateKey(seed);
  const publicKey = ecdh.getPublicKey();
  const [x, y, d] = [publicKey.subarray(1, 33), publicKey.subarray(33), seed].map((part) =>
    part.toString('base64url'),
  );
  const key = createPrivateKey({ key: { kty: 'EC', crv: 'P-256', x: x!, y: y!, d: d! }, format: 'jwk' });
  const relyingParty = createHash('sha256').update('wallet.test').digest();
  const counter = Buffer.alloc(4);
  const authenticatorData = Buffer.concat([relyingParty, Buffer.from([USER_PRESENT_AND_VERIFIED]), counter]);

  return {
    publicKey,
    sign(payload) {
      const clientDataJson = Buffer.from(
        JSON.stringify({
          type: 'webauthn.get',
          challenge: payload.toString('base64url'),
          origin: 'https://wallet.test',
          crossOrigin: false,
        }),
      );
      const signed = Buffer.concat([authenticatorData, createHash('sha256').update(clientDataJson).digest()]);
      const signature = withLowS(signBytes('sha256', signed, { key, dsaEncoding: 'ieee-p1363' }));
      return record({
        authenticator_data: bytes(authenticatorData),
        client_data_json: bytes(clientDataJson),
        signature: bytes(signature),
      });
    },
  };
}

/** Makes s low. Two values of s verify, but the host accepts only the lower one; authenticators give either. */
function withLowS(signature: Buffer): Buffer {
  const s = BigInt(`0x${signature.subarray(SCALAR_BYTES).toString('hex')}`);
  if (s <= P256_ORDER / 2n) return signature;
  const low = Buffer.from((P256_ORDER - s).toString(16).padStart(2 * SCALAR_BYTES, '0'), 'hex');
  return Buffer.concat([signature.subarray(0, SCALAR_BYTES), low]);
}

/** Builds a contract's record from its fields by name, which must be in alphabetical order. */
function record(fields: Record<string, xdr.ScVal>): xdr.ScVal {
  return xdr.ScVal.scvMap(
    Object.entries(fields).map(([key, val]) => new xdr.ScMapEntry({ key: xdr.ScVal.scvSymbol(key), val })),
  );
}

export const bytes = (content: Uint8Array): xdr.ScVal => xdr.ScVal.scvBytes(content);
const i128 = (number: bigint): xdr.ScVal => nativeToScVal(number, { type: 'i128' });
export const u32 = (number: number): xdr.ScVal => nativeToScVal(number, { type: 'u32' });

/** Returns a two-faced wallet's trick, as its `play` takes it. */
export function trick(name: 'Nothing' | 'RefuseLater' | 'WorkLater' | 'Toss'): xdr.ScVal {
  return xdr.ScVal.scvVec([xdr.ScVal.scvSymbol(name)]);
}
