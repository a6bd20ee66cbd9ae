import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { DiscoveryResource } from '../../src/contract/index.ts';
import { createRandom } from '../catalog/random.ts';
import { temporaryFolder } from '../catalog/temporaryFolder.ts';
import { openSandbox, type TestSandbox } from '../support/sandbox.ts';
import { sample } from '../support/sample.ts';
import type { Facts } from '../world/oracle/facts.ts';
import { disagreements, disagreementsAtTheEnd } from '../world/oracle/index.ts';
import { openInstance, type Instance, type Kill } from './instance.ts';

const SEED = Number(process.env['KILL_SEED'] ?? 20_261_121);
const KILLS = Number(process.env['KILL_COUNT'] ?? sample(4, 300));
/** Services that are killed side by side, each with files and submitters of its own. */
const INSTANCES = sample(1, 4);
const LEDGER_MS = 200;
/** On a machine that has other things to do. */
const TIMEOUT_MS = 120_000 + 4_000 * KILLS;
const PROGRESS_EVERY = 25;

type Ended = Facts & { listings: readonly DiscoveryResource[] };

test(
  `${KILLS} times kill -9: ledger, journal, catalog and answers tell the same of every payment`,
  { timeout: TIMEOUT_MS },
  async () => {
    console.log(`seed ${SEED}, ${KILLS} kills; KILL_SEED and KILL_COUNT choose others`);
    const folder = temporaryFolder();
    const sandbox = await openSandbox({ ledgerMs: LEDGER_MS });
    const kills: Kill[] = [];
    const instances = await Promise.all(
      Array.from({ length: INSTANCES }, (_, nth) => {
        mkdirSync(join(folder, `shop${nth}`));
        const dbPath = join(folder, `shop${nth}`, `shop${nth}.db`);
        return openInstance({ sandbox, random: createRandom(SEED + nth), dbPath });
      }),
    );
    onEachLedger(sandbox, () => instances.forEach(({ onLedger }) => onLedger()));

    const worlds = await Promise.all(instances.map((instance) => killRepeatedly(instance, kills)));
    await sandbox.close();
    console.log(storyOf(kills, worlds));
    // They came at all times of a payment's life.
    const counts = [
      kills.filter(({ wasListening }) => !wasListening),
      kills.filter(({ wasListening }) => wasListening),
      kills.filter(({ open }) => open > 0),
      kills.filter(({ due }) => due > 0),
    ].map(({ length }) => length);
    for (const count of counts) expect(count).toBeGreaterThanOrEqual(Math.floor(KILLS / 30));
  },
);

/** Until all instances together were killed often enough; proves each time that what is left agrees. */
async function killRepeatedly(instance: Instance, kills: Kill[]): Promise<Ended> {
  while (kills.length < KILLS) {
    const { kill, facts } = await instance.kill();
    kills.push(kill);
    expect(disagreements(facts), `after kill ${kills.length}: ${JSON.stringify(kill)}`).toEqual([]);
    if (kills.length % PROGRESS_EVERY === 0) console.log(`${kills.length} kills`);
  }
  const { facts, listings } = await instance.finish();
  expect(disagreementsAtTheEnd(facts, listings)).toEqual([]);
  return { ...facts, listings };
}

function onEachLedger({ network }: TestSandbox, listener: () => void): void {
  const { closeLedger } = network;
  network.closeLedger = () => {
    closeLedger();
    listener();
  };
}

function storyOf(kills: readonly Kill[], worlds: readonly Ended[]): string {
  const count = (one: (world: Ended) => number): number => worlds.reduce((sum, world) => sum + one(world), 0);
  const killed = (which: (kill: Kill) => boolean): number => kills.filter(which).length;
  return [
    `${kills.length} kills: ${killed(({ wasListening }) => !wasListening)} while starting,`,
    `${killed(({ open }) => open > 0)} with transactions open, ${killed(({ due }) => due > 0)} with listings due;`,
    `${count(({ payments }) => payments.length)} payments,`,
    `asked for ${count(({ payments }) => payments.reduce((sum, { asked }) => sum + asked, 0))} times,`,
    `${count(({ payments }) => payments.reduce((sum, { answers }) => sum + answers.length, 0))} answers,`,
    `${count(({ journal }) => journal.length)} transactions journaled, ${count(({ ledger }) => ledger.length)} on the ledger,`,
    `${count(({ listings }) => listings.length)} listings,`,
    `${count(({ arrivals = [] }) => arrivals.length)} webhooks arrived,`,
    `${count(({ arrivals = [] }) => arrivals.filter(({ firstInLine }) => firstInLine !== undefined).length)} of them looked at in their line`,
  ].join(' ');
}
