import type { LeaseEvents, Sharing } from '../../scheme/index.ts';
import type { Database } from '../../store/postgres.ts';
import { SCHEMA } from '../../store/postgresSchema.ts';
import { createLeasedAccounts } from './leasedAccounts.ts';
import { createLeftEntries } from './leftEntries.ts';
import type { SharedLimits } from './limits.ts';
import { createNeededAccounts } from './neededAccounts.ts';
import { createRounds } from './rounds.ts';
import { createSettledElsewhere } from './settledElsewhere.ts';
import { createSpareAccounts } from './spareAccounts.ts';

export interface LeasesDeps {
  db: Database;
  /** Names this process among the instances. */
  instance: string;
  /** The addresses of all channel accounts. */
  accounts: readonly string[];
  log: { warn(fields: object, message: string): void };
  limits: SharedLimits;
}

/**
 * Leases channel accounts from the database. An instance keeps an account until another one needs it more. If an
 * instance is gone, its leases run out, and another one takes them over, with what was sent from them.
 */
export function createLeases(deps: LeasesDeps): Sharing {
  const { db, instance, log, limits } = deps;
  let scheme: LeaseEvents;
  const events = (): LeaseEvents => scheme;
  const { inTurn, ended } = createRounds({ log, onFailure });
  const left = createLeftEntries({ db, limits, events });
  const leased = createLeasedAccounts({ ...deps, left, events });
  const needed = createNeededAccounts({ ...deps, leased, events, inTurn });
  const spare = createSpareAccounts({ ...deps, leased, events, inTurn });
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  function onFailure(failsForMs: number): void {
    needed.pause();
    if (failsForMs >= limits.openWithinMs) events().unavailable();
  }

  async function takeFree(): Promise<void> {
    await needed.lease();
    await leased.adopt();
  }

  /** Renews the leases, and takes over what a dead instance left. */
  async function renew(): Promise<void> {
    await leased.renew();
    await takeFree();
    await left.followForgotten(leased.addresses());
  }

  /** Hears that another instance needs accounts, or that some have become free. */
  function hear(payload: string | undefined): void {
    const [other, count = '0'] = payload?.split(' ') ?? [];
    if (isClosed || other === instance) return;
    if (other === undefined || count === '0') return void inTurn(takeFree);
    spare.offer(other, Number(count));
  }

  return {
    settledElsewhere: createSettledElsewhere(db, limits),
    async open(to) {
      scheme = to;
      db.listener.on(CHANNEL, hear);
      await inTurn(renew);
      timer = renewEvery(limits.renewEveryMs, () => inTurn(renew));
    },
    need: needed.leaseSoon,
    giveUp: spare.giveUp,
    noteLoss: leased.lose,
    drain: spare.drain,
    async close() {
      isClosed = true;
      clearInterval(timer);
      needed.close();
      spare.giveUpAll();
      await ended();
    },
  };
}

const CHANNEL = `${SCHEMA}_accounts`;

function renewEvery(pauseMs: number, renew: () => Promise<void>): NodeJS.Timeout {
  let renewal: Promise<void> | undefined;
  return setInterval(() => {
    // While the database hangs, renewals must not pile up.
    renewal ??= renew().finally(() => (renewal = undefined));
  }, pauseMs).unref();
}
