import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../../store/postgres.ts';
import { SCHEMA } from '../../store/postgresSchema.ts';
import type { SharedLimits } from './limits.ts';
import { IS_IN_FLIGHT } from './statements.ts';

/** See `Sharing.settledElsewhere`. */
export type SettledElsewhere = (authorization: string, withinMs: number) => Promise<void>;

/**
 * Waits for notices of settled authorizations, and looks from time to time: a notice may be missed. No more payments wait
 * here than channel accounts are busy elsewhere: each waits for a payment that has one.
 */
export function createSettledElsewhere(
  db: Database,
  { lookEveryMs, retryAfterMs }: Pick<SharedLimits, 'lookEveryMs' | 'retryAfterMs'>,
): SettledElsewhere {
  const waiting = new Map<string, Set<() => void>>();
  db.listener.on(`${SCHEMA}_settled`, (authorization) => {
    const woken = authorization === undefined ? [...waiting.values()] : [waiting.get(authorization) ?? []];
    for (const wake of woken.flatMap((set) => [...set])) wake();
  });

  async function notice(authorization: string, withinMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const wakes = waiting.get(authorization) ?? new Set();
    waiting.set(authorization, wakes.add(resolve));
    const timer = setTimeout(resolve, withinMs);
    await promise;
    clearTimeout(timer);
    wakes.delete(resolve);
    if (wakes.size === 0) waiting.delete(authorization);
  }

  return async (authorization, withinMs) => {
    const deadline = performance.now() + withinMs;
    for (let leftMs = withinMs; leftMs > 0; leftMs = deadline - performance.now()) {
      const noticed = notice(authorization, Math.min(leftMs, lookEveryMs));
      const rows = await db.query(IS_IN_FLIGHT, [authorization]).catch(() => [{}]);
      // If a ledger has it, the node that is asked next may not have that ledger yet.
      if (rows.length === 0) return void (await sleep(Math.min(leftMs, retryAfterMs)));
      await noticed;
    }
  };
}
