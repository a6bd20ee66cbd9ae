import { fixedUnits } from '../../stellar/units.ts';
import { spendableStroops } from '../accounts/lumens.ts';
import { commandLine } from '../../process/commands.ts';
import type { Config } from '../../config/config.ts';
import { readAccounts, type AccountState } from '../../stellar/accounts.ts';
import type { Rpc } from '../../stellar/rpc/pool.ts';
import { fail, ok, warn, type Finding } from './finding.ts';

/** With fewer settlements left than this, an account that pays fees is empty within hours. */
const FEW_SETTLEMENTS = 100;

export interface Payers {
  readonly submitters: readonly string[];
  readonly feeBump: string | undefined;
}

/** Checks that the accounts exist, and how many settlements the fee-paying ones can pay for. */
export async function checkAccounts(
  rpc: Rpc,
  { submitters, feeBump }: Payers,
  { fees }: Pick<Config, 'fees'>,
): Promise<Finding[]> {
  const found = await readAccounts(rpc, [...submitters, ...(feeBump === undefined ? [] : [feeBump])]);
  const of = (address: string, role: string, paysFees: boolean): Finding =>
    ofAccount(`${role} ${address}`, found.get(address), paysFees ? fees.ceilingStroops : undefined);
  return [
    ...submitters.map((address) => of(address, 'submitter', feeBump === undefined)),
    ...(feeBump === undefined ? [] : [of(feeBump, 'fee-bump account', true)]),
  ];
}

function ofAccount(
  check: string,
  account: AccountState | undefined,
  feeStroops: number | undefined,
): Finding {
  if (account === undefined)
    return fail(
      check,
      `has no account on the network: send it lumens, or make accounts with ${commandLine('accounts')} create`,
    );
  const balance = `has ${fixedUnits(account.balanceStroops)} XLM`;
  if (feeStroops === undefined) return ok(check, balance);
  const settlements = Number(spendableStroops(account) / BigInt(feeStroops));
  const text = `${balance}, enough for ${settlements} settlements at the highest fee`;
  if (settlements === 0) return fail(check, `${text}: send it lumens`);
  return settlements < FEW_SETTLEMENTS ? warn(check, `${text}: send it more lumens`) : ok(check, text);
}
