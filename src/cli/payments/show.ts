import { shownRecord, type SettlementRecord } from '../../journal/index.ts';
import { EXIT_FAILED } from '../../process/exitCodes.ts';
import { amountWithCode } from '../../stellar/assets.ts';
import type { Context } from '../command.ts';
import { Failure } from '../failure.ts';
import { printableAscii, printableJsonLine } from '../printable.ts';
import { withRecords } from './store.ts';

/** Shows the record whose hash begins so. Throws a Failure. */
export async function showPayment(
  { beginning, json }: { beginning: string; json: boolean },
  { environment, terminal }: Context,
): Promise<void> {
  const [record, other] = await withRecords(environment, (records) => records.startingWith(beginning, 2));
  if (record === undefined)
    throw new Failure(EXIT_FAILED, `the journal has no settlement whose hash begins with ${beginning}`);
  if (other !== undefined)
    throw new Failure(EXIT_FAILED, `several hashes begin with ${beginning}: give more characters`);
  const shown = shownRecord(record);
  if (json) await terminal.write(printableJsonLine(shown));
  else terminal.say(linesOf({ ...shown, ...amountOf(record) }));
}

/** The amount in the unit of its asset, if that is known, and in base units. */
function amountOf({ amount, asset = '' }: SettlementRecord): { amount?: string } {
  if (amount === undefined) return {};
  const inUnit = /^\d+$/.test(amount) ? amountWithCode(BigInt(amount), asset) : undefined;
  return { amount: inUnit === undefined ? `${amount} base units` : `${inUnit} (${amount} base units)` };
}

function linesOf(facts: object): string {
  const entries = Object.entries(facts);
  const width = Math.max(...entries.map(([name]) => name.length));
  return entries.map(([name, value]) => `${name.padEnd(width)}  ${printableAscii(String(value))}`).join('\n');
}
