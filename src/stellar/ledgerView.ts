import { createBelievedLedger } from './believedLedger.ts';
import type { LedgerClock, LedgerClose, LedgerSighting } from './ledgerClock.ts';
import {
  isAfresh,
  sinceClosedMs,
  timesAfter,
  UNKNOWN_TIMES,
  untilClosedMs,
  withoutLedgers,
} from './ledgerTimes.ts';
import type { RpcLimits } from './limits.ts';
import type { SchemeLog } from './log.ts';
import { RpcFault } from './rpc/fault.ts';
import { createStandstill, type Standstill } from './standstill.ts';

/** All that is known of the network's ledgers, from the answers of all nodes. */
export interface LedgerView extends LedgerClock {
  /** Adds a node. The log calls it `rpc`. */
  addNode(rpc: string): NodeView;
  /** Forgets what this process has heard: some of it came from a node of another network. */
  forget(): void;
}

/** Hears the answers of one node, and tells what they show of the node. */
export interface NodeView extends Pick<Standstill, 'isStale' | 'heardAt' | 'highestLedger'> {
  /**
   * Takes note of an answer that has just arrived. Throws an RpcFault if the ledger that it names cannot be the latest
   * one. An answer that names no ledger says nothing.
   */
  hear(method: string, answer: object): void;
}

export interface LedgerViewDeps {
  log: SchemeLog;
  now: () => number;
  limits: RpcLimits;
  /**
   * The latest ledger that an earlier process has seen. A node that has not reached it lags, unless ledgers with lower
   * numbers close later: then the network has started afresh.
   */
  remembered?: LedgerClose | undefined;
}

export function createLedgerView({ log, now, limits, ...deps }: LedgerViewDeps): LedgerView {
  let { remembered } = deps;
  const believed = createBelievedLedger({ now, limits });
  let times = UNKNOWN_TIMES;
  let nodes = 0;

  function believe(sighting: LedgerSighting): void {
    const { latestLedger: ledger } = sighting;
    if (believed.isDisowned(ledger)) {
      remembered = undefined;
      forget();
    }
    const latest = believed.latest();
    if (latest !== undefined && ledger < latest.ledger && isAfresh(times, sighting)) believed.forget();
    if (remembered !== undefined && isOutgrown(remembered, sighting)) remembered = undefined;
    believed.believe(ledger);
    times = timesAfter(times, sighting, now());
  }

  function forget(): void {
    believed.forget();
    times = withoutLedgers(times);
  }

  return {
    addNode(rpc) {
      nodes += 1;
      const { observe, ...standstill } = createStandstill({ rpc, log, now, limits });
      return {
        ...standstill,
        hear(method, answer) {
          const { latestLedger: ledger } = answer as LedgerSighting;
          if (!Number.isSafeInteger(ledger)) return;
          const refusal = believed.judge(standstill, ledger, nodes);
          if (refusal !== undefined) throw new RpcFault(`${method}: ${refusal}`, { kind: 'ledger' });
          believe(answer as LedgerSighting);
          observe(ledger);
        },
      };
    },
    forget,
    latestLedger: () => Math.max(remembered?.ledger ?? 0, believed.latest()?.ledger ?? 0),
    lagMs() {
      const latest = believed.latest();
      return latest === undefined ? undefined : now() - latest.since;
    },
    ledgerSeconds: () => times.pace.seconds,
    networkSeconds: () => Math.floor((now() + times.aheadMs) / 1000),
    sinceClosedMs: (ledger) => sinceClosedMs(times, ledger, now()),
    untilLedgerAfterMs: (sequence, mayGuess) => untilClosedMs(times, sequence, mayGuess, now()),
  };
}

/** True if the ledger that an earlier process has seen is no longer of use. */
function isOutgrown(
  remembered: LedgerClose,
  { latestLedger, latestLedgerCloseTime }: LedgerSighting,
): boolean {
  return latestLedger >= remembered.ledger || Number(latestLedgerCloseTime) > remembered.seconds;
}
