import type { Network } from '../../../sandbox/network.ts';
import { NATIVE, USDC } from '../../support/payments.ts';
import { createFunds, type Balance, type Funds, type Role } from '../../world/oracle/funds.ts';
import type { Transfer } from '../../world/transaction.ts';

/** Puts accounts and money on the network, and keeps by hand what each should hold. */
export interface NetworkFunds extends Pick<Funds, 'apply'> {
  /** Puts an account on the network, with these balances to spend. */
  open(role: Role, address: string, balance: Balance): void;
  mint(address: string, asset: string, amount: bigint): void;
  canPay(transfer: Transfer): boolean;
  /** Says what the network has otherwise. */
  differences(): string[];
}

const BASE_RESERVE_STROOPS = 5_000_000n;
/** An account's two, and one for its trustline. */
const RESERVES = { plain: 2n, withTrustline: 3n };

export function createNetworkFunds(network: Network): NetworkFunds {
  const funds = createFunds();
  /** Lumens that cannot be spent, by account. */
  const reserves = new Map<string, bigint>();

  return {
    apply: funds.apply,
    open(role, address, { usdc, native }) {
      const isContract = address.startsWith('C');
      const holdsUsdc = role === 'payer' || role === 'payee';
      const entries = holdsUsdc ? RESERVES.withTrustline : RESERVES.plain;
      const reserve = isContract ? 0n : entries * BASE_RESERVE_STROOPS;
      if (isContract) network.mint(address, native, 'native');
      else network.createAccount(address, native + reserve);
      if (holdsUsdc) network.mint(address, usdc);
      funds.open(role, address, { usdc, native: native + reserve });
      reserves.set(address, reserve);
    },
    mint(address, asset, amount) {
      network.mint(address, amount, asset === USDC ? 'USDC' : 'native');
      funds.add(address, asset, amount);
    },
    canPay: ({ from, asset, amount }) =>
      funds.holds(from, asset) - (asset === NATIVE ? reserves.get(from)! : 0n) >= amount,
    differences: () => funds.differences((address) => network.balances(address)),
  };
}
