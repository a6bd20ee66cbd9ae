/** Checks what an offer costs, and how long it leaves for the payment. */
import { sightLedgers } from '../stellar/ledgerClock.ts';
import type { Rpc } from '../stellar/rpc/pool.ts';
import { tokenUnits } from '../stellar/units.ts';
import { baseUnits } from '../stellar/values.ts';
import type { Token } from './asset.ts';
import { ok, unpaid, warn, type Finding } from './finding.ts';
import { COMFORTABLE_SECONDS, LEAST_LEDGERS } from './limits.ts';
import type { Offer } from './offers.ts';
import { quoted } from './quoted.ts';

/** Checks the amount, and shows it in its unit if the token is known. */
export function checkAmount({ place, entry: { amount } }: Offer, token: Token | undefined): Finding {
  const check = `${place}.amount`;
  const read = baseUnits(amount);
  if (read === undefined || read === 0n) {
    const example =
      token === undefined
        ? ''
        : ` With ${token.decimals} decimals, 1 ${token.unit} is "${10n ** BigInt(token.decimals)}".`;
    const mend = `Write base units as a text of digits.${example}`;
    return unpaid(check, `is ${quoted(amount)}, not a positive whole number of base units`, mend);
  }
  if (token === undefined) return ok(check, `is ${read} base units`);
  const { unit, decimals } = token;
  return ok(check, `is ${tokenUnits(read, decimals)} ${unit} (${read} base units, ${decimals} decimals)`);
}

/** Checks the timeout against the pace of the ledgers. Throws an RpcFault. */
export async function checkTimeout(rpc: Rpc, { place, entry }: Offer): Promise<Finding> {
  const check = `${place}.maxTimeoutSeconds`;
  const { maxTimeoutSeconds: seconds } = entry;
  const mend = 'Write a number of seconds, such as 60.';
  if (typeof seconds !== 'number' || !(seconds > 0))
    return unpaid(check, `is ${quoted(seconds)}, not a positive number`, mend);
  await sightLedgers(rpc);
  const pace = rpc.clock.ledgerSeconds();
  const ledgers = Math.ceil(seconds / pace);
  const text = `is ${seconds} s, in which ${ledgers} ledger${ledgers === 1 ? ' closes' : 's close'}`;
  if (ledgers < LEAST_LEDGERS) return unpaid(check, `${text}: a payment expires before it can settle`, mend);
  if (seconds < COMFORTABLE_SECONDS) return warn(check, `${text}: a payment may expire on its way`, mend);
  return ok(check, text);
}
