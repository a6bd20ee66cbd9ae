/** Gives what differs from one demo to the next (keys, hashes, ports, ledgers, fee, time) the same values each time. */
import { createHash } from 'node:crypto';
import { Keypair } from '@stellar/stellar-sdk';
import { shortened } from '../story.ts';
import { units } from '../../src/stellar/units.ts';

/** The ports of network, facilitator and seller, in the order in which the output first names them. */
const PORTS = ['8000', '4021', '4030'];
/** The ledgers of the start, of the authorization's expiry and signing, and of the two settlements. */
const LEDGERS = ['1020', '1080', '1020', '1021', '1022'];
const FEE_STROOPS = 23_765n;
const FEE_ACCOUNT_STROOPS = 1_000_000_000n;
const SECONDS = '4.0';

/** Separates a label from its value: spaces, and the styles of a terminal. */
const GAP = '(?:\\s|\\u001b\\[\\d+m)+';

type Replacement = readonly [found: string, standIn: string];

/** Takes and returns the demo's output, with or without styles. */
export function steady(output: string): string {
  const named = [
    ...standIns(output, /\bG[A-Z2-7]{55}\b/g, addressOf),
    ...standIns(output, /\b[0-9a-f]{64}\b/g, hashOf),
  ];
  const short = named.map(([found, standIn]): Replacement => [shortened(found), shortened(standIn)]);
  const hosts = standIns(output, /127\.0\.0\.1:\d+/g, (nth) => `127.0.0.1:${PORTS[nth]}`);
  const ledgers = [...LEDGERS];
  return withSteadyFee(replaced(output, [...named, ...short, ...hosts]))
    .replaceAll(
      new RegExp(`(ledger${GAP}|\\(now )\\d+`, 'g'),
      (_all, label: string) => `${label}${ledgers.shift()}`,
    )
    .replace('bazaar not known yet', 'bazaar success')
    .replace(/Done in [\d.]+ s/, `Done in ${SECONDS} s`);
}

/** Returns a stand-in for each text that the pattern finds, in the order in which they come first. */
function standIns(output: string, pattern: RegExp, make: (nth: number) => string): Replacement[] {
  const found = new Set(output.match(pattern));
  return [...found].map((text, nth) => [text, make(nth)]);
}

const addressOf = (nth: number): string =>
  Keypair.fromRawEd25519Seed(createHash('sha256').update(`account ${nth}`).digest()).publicKey();

const hashOf = (nth: number): string => createHash('sha256').update(`transaction ${nth}`).digest('hex');

/** The fee depends on how many ledgers an entry lives on. In the books it stands right in its column. */
function withSteadyFee(output: string): string {
  const fee = BigInt(new RegExp(`fee${GAP}(\\d+) stroops`).exec(output)?.[1] ?? FEE_STROOPS);
  const cells = (stroops: bigint): string[] =>
    [FEE_ACCOUNT_STROOPS - stroops, -stroops].map((amount) => `${units(amount)} (${amount})`);
  const inWords = (stroops: bigint): string => `${stroops} stroops = ${units(stroops)} XLM`;
  const standIns = cells(FEE_STROOPS);
  return cells(fee).reduce(
    (text, found, nth) => inColumn(text, found, standIns[nth] ?? found),
    output.replace(inWords(fee), inWords(FEE_STROOPS)),
  );
}

/** Puts a text in the place of another one, and ends it at the same column. */
function inColumn(output: string, found: string, standIn: string): string {
  const end = output.indexOf(found) + found.length;
  const width = Math.max(found.length, standIn.length);
  return output.slice(0, end - width) + standIn.padStart(width) + output.slice(end);
}

function replaced(output: string, replacements: readonly Replacement[]): string {
  return replacements.reduce((text, [found, standIn]) => text.replaceAll(found, standIn), output);
}
