import { NATIVE } from '../../support/playedNetwork.ts';
import type { LedgerTransaction } from '../ledger.ts';

export type Role = 'payer' | 'payee' | 'submitter' | 'fee-bump account';

export interface Balance {
  usdc: bigint;
  native: bigint;
}

/** An account, with what it had at first and what it has now. */
export interface Account {
  readonly role: Role;
  readonly address: string;
  readonly start: Balance;
  readonly now: Balance;
}

/** Keeps by hand what each account should hold. */
export interface Funds {
  open(role: Role, address: string, balance: Balance): void;
  add(address: string, asset: string, amount: bigint): void;
  /** Returns what the account should hold of the asset. */
  holds(address: string, asset: string): bigint;
  /** Charges the fee, and moves the money if the transaction succeeded. */
  apply(transaction: LedgerTransaction): void;
  /** Says which accounts hold something else. */
  differences(balanceOf: (address: string) => Balance): string[];
}

const kindOf = (asset: string): keyof Balance => (asset === NATIVE ? 'native' : 'usdc');

export function createFunds(): Funds {
  const accounts = new Map<string, Balance & { readonly role: Role }>();
  const strangers = new Set<string>();

  function add(address: string, asset: string, amount: bigint): void {
    const account = accounts.get(address);
    if (account === undefined) strangers.add(address);
    else account[kindOf(asset)] += amount;
  }

  return {
    open: (role, address, balance) => void accounts.set(address, { role, ...balance }),
    add,
    holds: (address, asset) => accounts.get(address)![kindOf(asset)],
    apply({ feeSource, feeChargedStroops, status, transfer: { asset, from, to, amount } }) {
      add(feeSource, NATIVE, -BigInt(feeChargedStroops));
      if (status === 'failed') return;
      add(from, asset, -amount);
      add(to, asset, amount);
    },
    differences: (balanceOf) => [
      ...[...strangers].map((address) => `${address} pays or is paid, and nobody knows it`),
      ...[...accounts].flatMap(([address, { role, ...expected }]) => {
        const found = balanceOf(address);
        return (['usdc', 'native'] as const)
          .filter((kind) => found[kind] !== expected[kind])
          .map((kind) => `the ${role} ${address} holds ${found[kind]} ${kind}, and should ${expected[kind]}`);
      }),
    ],
  };
}

/** Says which accounts have something else now than the ledgers gave and took. */
export function wrongBalances(accounts: readonly Account[], ledger: readonly LedgerTransaction[]): string[] {
  const funds = createFunds();
  for (const { role, address, start } of accounts) funds.open(role, address, start);
  for (const transaction of ledger) funds.apply(transaction);
  const now = new Map(accounts.map((account) => [account.address, account.now]));
  return funds.differences((address) => now.get(address)!);
}
