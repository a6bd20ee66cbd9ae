/** When a process is killed. */
import type { Random } from '../catalog/random.ts';

/**
 * What happens in the life of a process, as others see it: it starts, listens, calls the RPC, the call takes effect, a
 * ledger closes, it writes its files, a seller has an answer.
 */
export type Happening =
  | 'start'
  | 'listening'
  | 'ledger'
  | 'journal written'
  | 'catalog written'
  | 'answer'
  | `${'call' | 'effect'} ${string}`;

/** So many milliseconds after something has happened for the nth time since the process started, or listens. */
export interface Moment {
  readonly since: 'start' | 'listening';
  readonly after: Happening;
  readonly nth: number;
  readonly delayMs: number;
}

/** While it starts, and learns how earlier settlements ended. */
const STARTING: readonly Happening[] = [
  'journal written',
  'call getLedgerEntries',
  'effect getTransaction',
  'call getNetwork',
];
/** Of the life of a payment, what matters most comes most often. */
const SETTLING: readonly Happening[] = [
  'effect simulateTransaction',
  'call sendTransaction',
  'effect sendTransaction',
  'effect sendTransaction',
  'call getTransaction',
  'effect getTransaction',
  'effect getTransaction',
  'ledger',
  'journal written',
  'journal written',
  'journal written',
  'catalog written',
  'catalog written',
  'answer',
];
const SHARE_AT_START = 0.35;
const SHARE_STARTING = 0.15;
const LATEST_STARTING_MS = 200;
const LATEST_SETTLING_MS = 20;
/** Mostly far sooner. */
const LATEST_NTH = 30;

/** `startMs`: how long a start takes here. */
export function chooseMoment(random: Random, startMs: number): Moment {
  const chance = random.next();
  const wait = random.next();
  if (chance < SHARE_AT_START) return { since: 'start', after: 'start', nth: 1, delayMs: wait * startMs };
  if (chance < SHARE_AT_START + SHARE_STARTING)
    return {
      since: 'start',
      after: random.pick(STARTING),
      nth: 1,
      delayMs: wait * LATEST_STARTING_MS,
    };
  // Every other one at once: before the service hears of it.
  const delayMs = Math.max(0, 2 * wait - 1) * LATEST_SETTLING_MS;
  return { since: 'listening', after: random.pick(SETTLING), nth: 1 + random.zipf(LATEST_NTH), delayMs };
}
