import { SIDES, type Field, type Pair } from './field.ts';
import { mustBeValid } from './load.ts';
import type { MeasuredServer } from './measuredServer.ts';
import { say } from './progress.ts';
import type { Measure } from './results.ts';
import { median, medianInterval, sum, type Interval } from './statistics.ts';

export interface TurnsPlan {
  /** Each pair of processes is started anew: two of the same program differ by some percent for as long as they live. */
  pairs: number;
  /** A block has four rounds: one side, twice the other, and the first side again. */
  blocks: number;
  /** A round sends this many at once. */
  verifies: number;
  /** Each of these has a round of each side. */
  warmUps: number;
}

/** The CPU of two services that differ in one thing. */
export interface Turns {
  /** Milliseconds of the process for each verify: a value for each pair. */
  cpuMs: Measure;
  /** The CPU of `ours` divided by that of `peer`: the median of the pairs, with 95 % confidence. */
  ratio: Interval & { median: number };
}

/** Enough to tell 1 % from 3 % on a machine that is not too busy. Takes some seven minutes. */
export const TURNS: TurnsPlan = { pairs: 10, blocks: 200, verifies: 40, warmUps: 600 };
export const TURNS_REHEARSAL: TurnsPlan = { pairs: 2, blocks: 5, verifies: 40, warmUps: 5 };

/** At least one for each verify of a round. */
export const CONNECTIONS = 64;
const BLOCKS_OF_A_PAYMENT = 20;

/**
 * Compares what a verify costs at two servers. A round is far shorter than the machine's ups and downs, and in the
 * order A B B A a steady drift costs both the same.
 */
export async function takeTurns(
  field: Field,
  startPair: () => Promise<Pair<MeasuredServer>>,
  plan: TurnsPlan,
): Promise<Turns> {
  const cpuMs: Pair<number[]> = { ours: [], peer: [] };
  const ratios: number[] = [];
  for (let nth = 0; nth < plan.pairs; nth += 1) {
    const servers = await startPair();
    await using _ours = servers.ours;
    await using _peer = servers.peer;
    const blocks = await runBlocks(field, servers, plan);
    for (const side of SIDES) cpuMs[side].push(sum(blocks[side]) / plan.blocks);
    ratios.push(median(blocks.ours.map((value, block) => value / blocks.peer[block]!)));
    say(`pair ${nth + 1} of ${plan.pairs}: × ${ratios.at(-1)!.toFixed(3)}`);
  }
  return {
    cpuMs: { name: 'CPU of each, ms', ...cpuMs },
    ratio: { median: median(ratios), ...medianInterval(ratios) },
  };
}

/** Returns the CPU of a verify in each block, in milliseconds. */
async function runBlocks(
  field: Field,
  servers: Pair<MeasuredServer>,
  { blocks, verifies, warmUps }: TurnsPlan,
): Promise<Pair<number[]>> {
  let body = await field.payments.next();
  for (let round = 0; round < warmUps; round += 1)
    for (const side of SIDES) await cpuOf(servers[side], body, verifies);
  const cpuMs: Pair<number[]> = { ours: [], peer: [] };
  for (let block = 0; block < blocks; block += 1) {
    if (block % BLOCKS_OF_A_PAYMENT === 0) body = await field.payments.next();
    const [outer, inner] = block % 2 === 0 ? SIDES : SIDES.toReversed();
    const spentMs = { ours: 0, peer: 0 };
    for (const side of [outer, inner, inner, outer])
      spentMs[side] += await cpuOf(servers[side], body, verifies);
    for (const side of SIDES) cpuMs[side].push(spentMs[side] / (2 * verifies));
  }
  return cpuMs;
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

export const describeTurns = ({ pairs, blocks, verifies, warmUps }: TurnsPlan): string =>
  `${pairs} pairs of processes, one pair after the other, each warmed up by ${warmUps} rounds of each side. Then ${blocks} blocks of four rounds, each of ${verifies} verifies that are sent at once: one side, twice the other, and the first side again. The ratio of a pair is the median of its blocks. The ratio that is judged is the median of the pairs.`;

export const shownRatio = ({ median: middle, low, high }: Turns['ratio']): string =>
  `× ${middle.toFixed(3)}, with 95 % confidence from ${low.toFixed(3)} to ${high.toFixed(3)}`;
