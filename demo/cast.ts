/** Who plays a part: four throw-away accounts of the local network, and what they own. */
import { Keypair } from '@stellar/stellar-sdk';
import type { Network } from '../sandbox/network.ts';

export const ROLES = ['buyer', 'seller', 'submitter', 'fee account'] as const;
export type Role = (typeof ROLES)[number];
export type Cast = Readonly<Record<Role, Keypair>>;

/** USDC in base units, lumens in stroops. */
export interface Balance {
  usdc: bigint;
  stroops: bigint;
}
export type Balances = Readonly<Record<Role, Balance>>;

const XLM = 10_000_000n;
const USDC = 10_000_000n;

/** What they start with. The facilitator's own accounts hold lumens only: they never touch the money. */
const PURSES: Readonly<Record<Role, Balance>> = {
  buyer: { usdc: 10n * USDC, stroops: 5n * XLM },
  seller: { usdc: 1n * USDC, stroops: 5n * XLM },
  submitter: { usdc: 0n, stroops: 100n * XLM },
  'fee account': { usdc: 0n, stroops: 100n * XLM },
};

export function createCast(network: Network): Cast {
  return forEachRole((role) => {
    const keypair = Keypair.random();
    const { usdc, stroops } = PURSES[role];
    network.createAccount(keypair.publicKey(), stroops);
    if (usdc > 0n) network.mint(keypair.publicKey(), usdc);
    return keypair;
  });
}

export function balancesOf(network: Network, cast: Cast): Balances {
  return forEachRole((role) => {
    const { native, usdc } = network.balances(cast[role].publicKey());
    return { usdc, stroops: native };
  });
}

export function forEachRole<T>(make: (role: Role) => T): Record<Role, T> {
  return Object.fromEntries(ROLES.map((role) => [role, make(role)])) as Record<Role, T>;
}
