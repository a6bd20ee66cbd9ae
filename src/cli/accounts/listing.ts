import type { AccountState } from '../../stellar/accounts.ts';
import { fixedUnits } from '../../stellar/units.ts';
import { spendableStroops } from './lumens.ts';
import type { Settings } from './settings.ts';

/** The network's usual charge for a settlement: 23,000 to 24,000 stroops were observed. */
const USUAL_FEE_STROOPS = 24_000;

/** The number of settlements that a sum pays for. */
export interface Settlements {
  /** At the highest fee that the service bids. */
  readonly atLeast: number;
  /** At the network's usual charge. */
  readonly usually: number;
}

interface Listed {
  readonly address: string;
  readonly role: 'submitter' | 'feeBump';
  readonly exists: boolean;
  /** In XLM. The spendable part is neither reserved nor owed to the account's own offers. */
  readonly balance: string | null;
  readonly spendable: string | null;
  readonly sequence: string | null;
  /** Null if another account pays the fees. */
  readonly settlements: Settlements | null;
}

/** The accounts as `list --json` shows them: absence is null there. */
export interface Listing {
  readonly network: string;
  readonly feeStroops: { readonly highest: number; readonly usual: number };
  readonly accounts: readonly Listed[];
  readonly total: { readonly balance: string; readonly spendable: string; readonly settlements: Settlements };
}

/** Adds up what the ledger says of the accounts. */
export function listingOf(settings: Settings, found: ReadonlyMap<string, AccountState>): Listing {
  const { network, fees, submitters, feeBump } = settings;
  const countOf = (stroops: bigint): Settlements => ({
    atLeast: Number(stroops / BigInt(fees.ceilingStroops)),
    usually: Number(stroops / BigInt(Math.min(USUAL_FEE_STROOPS, fees.ceilingStroops))),
  });
  const listed = (address: string, role: Listed['role'], paysFees: boolean): Listed => {
    const account = found.get(address);
    const spendable = account && spendableStroops(account);
    return {
      address,
      role,
      exists: account !== undefined,
      balance: account ? fixedUnits(account.balanceStroops) : null,
      spendable: spendable === undefined ? null : fixedUnits(spendable),
      sequence: account ? String(account.sequence) : null,
      settlements: paysFees ? countOf(spendable ?? 0n) : null,
    };
  };
  const accounts = submitters.map((address) => listed(address, 'submitter', feeBump === undefined));
  if (feeBump !== undefined) accounts.push(listed(feeBump, 'feeBump', true));
  const entries = accounts.flatMap(({ address }) => found.get(address) ?? []);
  const paying = accounts.flatMap(({ settlements }) => settlements ?? []);
  return {
    network,
    feeStroops: { highest: fees.ceilingStroops, usual: USUAL_FEE_STROOPS },
    accounts,
    total: {
      balance: fixedUnits(entries.reduce((sum, { balanceStroops }) => sum + balanceStroops, 0n)),
      spendable: fixedUnits(entries.reduce((sum, entry) => sum + spendableStroops(entry), 0n)),
      settlements: {
        atLeast: paying.reduce((sum, { atLeast }) => sum + atLeast, 0),
        usually: paying.reduce((sum, { usually }) => sum + usually, 0),
      },
    },
  };
}
