import { SIDES, type Field, type Pair } from './field.ts';
import { mustBeValid } from './load.ts';
import type { MeasuredServer } from './measuredServer.ts';
import { say } from './progress.ts';
import type { Measure } from './results.ts';
import { median, medianInterval, sum, type Interval } from './statistics.ts';

export interface TurnsPlan {
  /** Each has four rounds: one side, twice the other, and the first side again. */
  blocks: number;
  /** Of a round, all sent at once. */
  verifies: number;
  warmUpRounds: number;
}

/** The CPU of two services that differ in one thing. */
export interface Turns {
  /** Milliseconds of the process for each verify: a value for each hundred blocks. */
  cpuMs: Measure;
  /** The CPU of `ours` divided by that of `peer`: the median of the blocks, with 95 % confidence for these two processes. */
  ratio: Interval & { median: number };
}

/** So many that 1 % can be told from 3 %, on a machine that is not too busy. Takes some two minutes. */
export const TURNS: TurnsPlan = { blocks: 1_500, verifies: 40, warmUpRounds: 150 };
export const TURNS_REHEARSAL: TurnsPlan = { blocks: 10, verifies: 40, warmUpRounds: 5 };

/** As many as a round has verifies, or more. */
export const CONNECTIONS = 64;
const BLOCKS_OF_A_PAYMENT = 20;
const BLOCKS_OF_A_VALUE = 100;

/**
 * Compares what a verify costs at two servers that both stay alive. A round is far shorter than the machine's ups and
 * downs, and in the order A B B A a steady drift costs both the same.
 */
export async function takeTurns(
  field: Field,
  servers: Pair<MeasuredServer>,
  { blocks, verifies, warmUpRounds }: TurnsPlan,
): Promise<Turns> {
  for (const server of Object.values(servers)) {
    const body = await field.payments.next();
    for (let round = 0; round < warmUpRounds; round += 1) await cpuOf(server, body, verifies);
  }
  const cpuMs: Pair<number[]> = { ours: [], peer: [] };
  let body = '';
  for (let block = 0; block < blocks; block += 1) {
    if (block % BLOCKS_OF_A_PAYMENT === 0) body = await field.payments.next();
    if (block % BLOCKS_OF_A_VALUE === 0) say(`block ${block} of ${blocks}`);
    const [outer, inner] = block % 2 === 0 ? SIDES : SIDES.toReversed();
    const spentMs = { ours: 0, peer: 0 };
    for (const side of [outer, inner, inner, outer])
      spentMs[side] += await cpuOf(servers[side], body, verifies);
    for (const side of SIDES) cpuMs[side].push(spentMs[side] / (2 * verifies));
  }
  const ratios = cpuMs.ours.map((value, nth) => value / cpuMs.peer[nth]!);
  return {
    cpuMs: { name: 'CPU of each, ms', ours: means(cpuMs.ours), peer: means(cpuMs.peer) },
    ratio: { median: median(ratios), ...medianInterval(ratios) },
  };
}

/** Returns the CPU that the server takes for some verifies, in milliseconds. */
async function cpuOf(server: MeasuredServer, body: string, verifies: number): Promise<number> {
  const before = await server.cpuMs();
  const answers = Array.from({ length: verifies }, async () =>
    mustBeValid(await server.post('/verify', body)),
  );
  await Promise.all(answers);
  return (await server.cpuMs()) - before;
}

function means(values: readonly number[]): number[] {
  const groups = Map.groupBy(values.entries(), ([nth]) => Math.floor(nth / BLOCKS_OF_A_VALUE));
  return [...groups.values()].map((group) => sum(group.map(([, value]) => value)) / group.length);
}

export const describeTurns = ({ blocks, verifies, warmUpRounds }: TurnsPlan): string =>
  `${blocks} blocks of four rounds, each of ${verifies} verifies that are sent at once: one side, twice the other, and the first side again. Each side is a process of its own that stays alive, warmed up by ${warmUpRounds} rounds. The table has means of ${BLOCKS_OF_A_VALUE} blocks; the ratio that is judged is the median of the blocks, with an interval by order statistics. The interval is that of these two processes: the next two may differ by more.`;

export const shownRatio = ({ median: middle, low, high }: Turns['ratio']): string =>
  `× ${middle.toFixed(3)}, with 95 % confidence from ${low.toFixed(3)} to ${high.toFixed(3)}`;
