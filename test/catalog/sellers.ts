/** Sellers with addresses of Stellar, and listings of theirs at several origins. */
import { Keypair, StrKey } from '@stellar/stellar-sdk';
import { createHash } from 'node:crypto';
import type { SettledPayment } from '../../src/catalog/index.ts';
import type { KeeperAct } from '../../src/catalog/keeper/types.ts';
import { settledPayment } from './settledPayments.ts';

export const BY_ADA: KeeperAct = { reason: 'it is spam', source: 'console', actor: 'ada' };

const keyOf = (name: string): Buffer => createHash('sha256').update(name).digest();

export const accountOf = (name: string): string => Keypair.fromRawEd25519Seed(keyOf(name)).publicKey();
export const contractOf = (name: string): string => StrKey.encodeContract(keyOf(name));

/** The muxed address of an account. */
export function muxed(account: string, id: bigint): string {
  const raw = Buffer.alloc(40);
  raw.set(StrKey.decodeEd25519PublicKey(account));
  raw.writeBigUInt64BE(id, 32);
  return StrKey.encodeMed25519PublicKey(raw);
}

export interface Sold {
  readonly payTo: string;
  readonly origin?: string;
  readonly description?: string;
}

export const HOME = 'https://api.example.com';

/** A payment for `origin/key`, whose listing says `key` and the description. */
export function sold(key: string, { payTo, origin = HOME, description = 'sun' }: Sold): SettledPayment {
  const payment = settledPayment({ key, payTo });
  return { ...payment, resource: { url: `${origin}/${key}`, description: `${key} ${description}` } };
}
