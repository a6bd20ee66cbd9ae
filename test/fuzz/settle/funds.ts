import type { Network } from '../../../sandbox/network.ts';
import { NATIVE, USDC } from '../../support/payments.ts';
import type { Transfer } from './submitted.ts';

type Role = 'payer' | 'payee' | 'submitter' | 'fee-bump account';

interface Balance {
  usdc: bigint;
  native: bigint;
}

interface Account extends Balance {
  readonly role: Role;
  /** Lumens that cannot be spent. */
  readonly reserve: bigint;
}

/** Who should hold what: kept by hand from what was minted, paid and charged, and compared with the network. */
export interface Funds {
  /** Puts an account on the network, with these balances to spend. */
  open(role: Role, address: string, balance: Balance): void;
  mint(address: string, asset: string, amount: bigint): void;
  canPay(transfer: Transfer): boolean;
  move(transfer: Transfer): void;
  charge(address: string, stroops: bigint): void;
  /** What the network has otherwise. */
  differences(): string[];
}

const BASE_RESERVE_STROOPS = 5_000_000n;
/** An account's two, and one for its trustline. */
const RESERVES = { plain: 2n, withTrustline: 3n };

const kindOf = (asset: string): keyof Balance => (asset === NATIVE ? 'native' : 'usdc');

export function createFunds(network: Network): Funds {
  const accounts = new Map<string, Account>();

  return {
    open(role, address, { usdc, native }) {
      const isContract = address.startsWith('C');
      const holdsUsdc = role === 'payer' || role === 'payee';
      const reserves = holdsUsdc ? RESERVES.withTrustline : RESERVES.plain;
      const reserve = isContract ? 0n : reserves * BASE_RESERVE_STROOPS;
      if (isContract) network.mint(address, native, 'native');
      else network.createAccount(address, native + reserve);
      if (holdsUsdc) network.mint(address, usdc);
      accounts.set(address, { role, usdc, native: native + reserve, reserve });
    },
    mint(address, asset, amount) {
      network.mint(address, amount, asset === USDC ? 'USDC' : 'native');
      accounts.get(address)![kindOf(asset)] += amount;
    },
    canPay({ from, asset, amount }) {
      const account = accounts.get(from)!;
      return account[kindOf(asset)] - (asset === NATIVE ? account.reserve : 0n) >= amount;
    },
    move({ from, to, asset, amount }) {
      accounts.get(from)![kindOf(asset)] -= amount;
      accounts.get(to)![kindOf(asset)] += amount;
    },
    charge: (address, stroops) => void (accounts.get(address)!.native -= stroops),
    differences: () =>
      [...accounts].flatMap(([address, { role, ...expected }]) => {
        const found = network.balances(address);
        return (['usdc', 'native'] as const)
          .filter((kind) => found[kind] !== expected[kind])
          .map((kind) => `the ${role} ${address} holds ${found[kind]} ${kind}, and should ${expected[kind]}`);
      }),
  };
}
