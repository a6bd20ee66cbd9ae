/** Balances before and after, and what must be true of them. */
import { units } from '../src/stellar/units.ts';
import { type Balance, type Balances, type Role, ROLES } from './cast.ts';
import { claim } from './claim.ts';
import { good, line, row, step } from './terminal.ts';

const ASSETS = [
  ['usdc', 'USDC'],
  ['stroops', 'XLM'],
] as const;

export interface Books {
  /** Of its step. */
  number: number;
  before: Balances;
  after: Balances;
  /** Base units. */
  price: bigint;
  feeStroops: bigint;
}

/** Shows who has what, and claims that the price and the fee are all that moved. */
export function tellBooks(books: Books): void {
  step(books.number, 'The books: only the price and the network fee have moved');
  line('In whole units, with base units or stroops in parentheses.');
  for (const [asset, unit] of ASSETS) {
    row(unit, 'before', 'after', 'change');
    for (const role of ROLES) {
      const [had, has] = [books.before[role][asset], books.after[role][asset]];
      row(role, both(had), both(has), has === had ? '0' : both(has - had));
    }
  }
  claimBooks(books);
  line(good('Checked: only the price and the network fee have moved; the submitter paid nothing.'));
}

/** Throws where anything else moved. */
export function claimBooks({ before, after, price, feeStroops }: Omit<Books, 'number'>): void {
  const moved = (role: Role, asset: keyof Balance): bigint => after[role][asset] - before[role][asset];
  claim(moved('buyer', 'usdc') === -price, 'the buyer pays exactly the price');
  claim(moved('seller', 'usdc') === price, 'the seller gets exactly the price');
  claim(moved('submitter', 'usdc') === 0n, 'the submitter never touches the money');
  claim(moved('fee account', 'usdc') === 0n, 'the fee account never touches the money');
  claim(moved('fee account', 'stroops') === -feeStroops, 'the fee account pays exactly the fee');
  for (const role of ['buyer', 'seller', 'submitter'] as const)
    claim(moved(role, 'stroops') === 0n, `the ${role} pays no fee`);
}

const both = (amount: bigint): string => `${units(amount)} (${amount})`;
