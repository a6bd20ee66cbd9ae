/** Measures an export of the whole journal, and what the public port does meanwhile. */
import { setTimeout as pause } from 'node:timers/promises';
import { forgetPeak, watchMemory } from '../attack/memory.ts';
import type { MeasuredServer } from '../measuredServer.ts';
import { say } from '../progress.ts';
import { goal, type Measure, type Result, type Section } from '../results.ts';
import { median, percentile } from '../statistics.ts';
import { shown } from '../table.ts';
import { openAsker } from './asking.ts';
import type { Filled } from './filledJournal.ts';

/** A table of 1,000,000 settlements has some 560 MiB. */
const GROWTH_GOAL_MIB = 32;
const PROBE_EVERY_MS = 20;
const QUIET_MS = 5_000;
const LINE_END = '\n'.charCodeAt(0);

interface Export {
  lines: number;
  bytes: number;
  seconds: number;
  /** Resident memory before, after collecting everything; the most meanwhile; and in the end, again after collecting. */
  beforeMib: number;
  peakMib: number;
  afterMib: number;
}

export async function measureExport(
  server: MeasuredServer,
  { settlements }: Filled,
): Promise<{ section: Section; goals: Result['goals'] }> {
  const quietMs = await probing(server.port, () => pause(QUIET_MS));
  say('operator: all is exported');
  const first = await timeExport(server);
  say('operator: all is exported again');
  let second!: Export;
  const busyMs = await probing(server.port, async () => void (second = await timeExport(server)));
  const row = (name: string, value: number): Measure => ({ name, ours: [value], peer: [] });
  const growthMib = second.peakMib - second.beforeMib;
  return {
    section: {
      title: `Export of ${settlements.toLocaleString('en')} settlements as CSV`,
      measures: [
        row('rows', second.lines - 1),
        row('MiB', second.bytes / 2 ** 20),
        row('seconds', second.seconds),
        row('resident before the first export, MiB', first.beforeMib),
        row('resident at most in the first export, MiB', first.peakMib),
        row('resident before the second export, MiB', second.beforeMib),
        row('resident at most in the second export, MiB', second.peakMib),
        row('resident after, MiB', second.afterMib),
        row('health meanwhile: p50, ms', median(busyMs)),
        row('health meanwhile: p99, ms', percentile(busyMs, 99)),
        row('health meanwhile: slowest, ms', Math.max(...busyMs)),
        row('health before: p50, ms', median(quietMs)),
        row('health before: p99, ms', percentile(quietMs, 99)),
      ],
    },
    goals: [
      goal(
        'every settlement is exported',
        `${second.lines - 1} rows`,
        [first, second].every(({ lines }) => lines === settlements + 1),
      ),
      goal(
        `memory constant: a second export adds at most ${GROWTH_GOAL_MIB} MiB`,
        `${shown(growthMib)} MiB`,
        growthMib <= GROWTH_GOAL_MIB,
      ),
    ],
  };
}

async function timeExport(server: MeasuredServer): Promise<Export> {
  const before = await server.memory();
  forgetPeak(server.pid);
  using memory = watchMemory(server.pid);
  const startedAtMs = performance.now();
  const { lines, bytes } = await readExport(server.operatorPort!);
  const seconds = (performance.now() - startedAtMs) / 1000;
  const peakMib = memory.peakMib();
  const after = await server.memory();
  return {
    lines,
    bytes,
    seconds,
    beforeMib: before.rssBytes / 2 ** 20,
    peakMib,
    afterMib: after.rssBytes / 2 ** 20,
  };
}

async function readExport(port: number): Promise<{ lines: number; bytes: number }> {
  const { status, body } = await fetch(`http://127.0.0.1:${port}/settlements.csv`);
  if (status !== 200) throw new Error(`the export answered ${status}`);
  let [lines, bytes] = [0, 0];
  for await (const piece of body!) {
    bytes += piece.length;
    for (let at = piece.indexOf(LINE_END); at !== -1; at = piece.indexOf(LINE_END, at + 1)) lines += 1;
  }
  return { lines, bytes };
}

/** Returns how long the public port's health took to answer while some work was done. */
async function probing(port: number, work: () => Promise<unknown>): Promise<number[]> {
  await using asker = openAsker(port);
  const times: number[] = [];
  let isDone = false;
  const probes = (async () => {
    while (!isDone) {
      times.push((await asker.ask('/health')).ms);
      await pause(PROBE_EVERY_MS);
    }
  })();
  await work().finally(() => (isDone = true));
  await probes;
  return times;
}
