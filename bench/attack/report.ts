import type { Pair } from '../field.ts';
import { goal, type Goal, type Measure, type Section } from '../results.ts';
import { percentile } from '../statistics.ts';
import { shown } from '../table.ts';
import type { Attack } from './attack.ts';
import type { Asked } from './honest.ts';
import { GOODPUT } from './questions.ts';
import type { Outcome } from './run.ts';

const WELL_GOAL_PERCENT = 95;
const RESIDENT_GOAL_MIB = 512;
const ANSWER_GOAL_MS = 1_000;
const GOODPUT_GOAL_PERCENT = 80;

/** The outcomes of one attack; the peer has none where it lacks what is attacked. */
export interface Attacked extends Pair<Outcome | undefined> {
  attack: Attack;
  ours: Outcome;
}

export const wellPercent = (asked: readonly Asked[]): number =>
  (100 * asked.filter(({ failure }) => failure === undefined).length) / asked.length;

const settles = ({ asked }: Outcome): Asked[] => asked.filter(({ kind }) => kind === 'settle');
/** Returns the times of requests that await no ledger, answered well or not. */
const timesMs = ({ asked }: Outcome): number[] =>
  asked.filter(({ kind }) => kind !== 'settle').map(({ tookMs }) => tookMs);
const slowestMs = (outcome: Outcome): number => Math.max(...timesMs(outcome));

/** Counts the failed requests by reason. */
export function failuresOf({ asked }: Outcome): string {
  const counts = new Map<string, number>();
  for (const { kind, failure } of asked)
    if (failure !== undefined)
      counts.set(`${kind}: ${failure}`, (counts.get(`${kind}: ${failure}`) ?? 0) + 1);
  return [...counts].map(([reason, count]) => `${count} × ${reason}`).join(', ') || 'none';
}

export function sectionOf({ attack, ours, peer }: Attacked): Section {
  const measure = (name: string, value: (outcome: Outcome) => number): Measure => ({
    name,
    ours: [value(ours)],
    peer: peer ? [value(peer)] : [],
  });
  const ofSettlements = [
    measure('of them settlements', (outcome) => settles(outcome).length),
    measure('settlements answered well, %', (outcome) => wellPercent(settles(outcome))),
    measure('settlement p95, s', (outcome) =>
      percentile(
        settles(outcome).map(({ tookMs }) => tookMs / 1000),
        95,
      ),
    ),
  ];
  return {
    title: attack.title,
    measures: [
      measure('honest requests', ({ asked }) => asked.length),
      measure('answered well, %', ({ asked }) => wellPercent(asked)),
      ...(attack.honest.includes('settle') ? ofSettlements : []),
      measure('slowest that awaits no ledger, ms', slowestMs),
      measure('p95 of those, ms', (outcome) => percentile(timesMs(outcome), 95)),
      measure('peak resident memory, MiB', ({ peakMib }) => peakMib),
      measure('alive afterwards (1) or not (0)', ({ isAlive }) => Number(isAlive)),
      ...Object.keys(ours.counts).map((name) =>
        measure(`attacker: ${name}`, ({ counts }) => counts[name] ?? NaN),
      ),
    ],
    remark: `Not answered well: by this service ${failuresOf(ours)}; by the peer ${peer ? failuresOf(peer) : 'nothing asked'}.`,
  };
}

/** The outcomes of this service under each attack. */
export function goalsOf(attacked: readonly Attacked[]): Goal[] {
  const outcomes = attacked.map(({ ours }) => ours);
  const lived = outcomes.filter(({ isAlive }) => isAlive).length;
  const well = Math.min(...outcomes.map(({ asked }) => wellPercent(asked)));
  const settled = Math.min(
    ...outcomes.filter((one) => settles(one).length > 0).map((one) => wellPercent(settles(one))),
  );
  const peakMib = Math.max(...outcomes.map((outcome) => outcome.peakMib));
  const slowest = Math.max(...outcomes.map(slowestMs));
  const goodput = Math.min(...outcomes.flatMap(({ counts }) => counts[GOODPUT] ?? []));
  return [
    goal('it lives', `${lived} of ${outcomes.length}`, lived === outcomes.length),
    goal(
      `honest requests answered well: at least ${WELL_GOAL_PERCENT} %`,
      `${shown(well)} %; of settlements alone ${shown(settled)} %`,
      Math.min(well, settled) >= WELL_GOAL_PERCENT,
    ),
    goal(`at most ${RESIDENT_GOAL_MIB} MiB resident`, `${shown(peakMib)} MiB`, peakMib <= RESIDENT_GOAL_MIB),
    goal(
      `no honest answer that awaits no ledger later than ${ANSWER_GOAL_MS / 1000} s`,
      `${shown(slowest / 1000)} s`,
      slowest <= ANSWER_GOAL_MS,
    ),
    goal(
      `searches answered under overload: at least ${GOODPUT_GOAL_PERCENT} % of the capacity`,
      `${shown(goodput)} %`,
      goodput >= GOODPUT_GOAL_PERCENT,
    ),
  ];
}
