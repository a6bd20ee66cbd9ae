import type { Catalog, CatalogState } from '../../catalog/index.ts';
import type { Readiness } from '../../contract/index.ts';
import type { HttpState } from '../../http/server.ts';
import type { FeesToday, Journal } from '../../journal/index.ts';
import { within, type Scheme, type SchemeState } from '../../scheme/index.ts';
import type { Webhooks } from '../../webhooks/index.ts';

/** The parts that the gauges are read from. */
export interface Sources {
  readonly scheme: Pick<Scheme, 'state' | 'readBalances'>;
  readonly catalog: Pick<Catalog, 'state' | 'countListings'>;
  readonly journal: Pick<Journal, 'feesToday'>;
  readonly http: { state(): HttpState };
  /** Undefined if there are none. */
  readonly webhooks?: Pick<Webhooks, 'state'> | undefined;
  readonly readiness: () => Promise<Readiness>;
  /** Returns the number of log lines that were lost. */
  readonly lostLogLines: () => number;
}

export interface Snapshot {
  readonly scheme: SchemeState;
  readonly catalog: CatalogState;
  readonly http: HttpState;
  /** True if an RPC node returned the balances. */
  readonly isRpcUp: boolean;
  readonly checks: Readiness['checks'];
  readonly webhooks:
    | { readonly pending: number; readonly oldestMs: number; readonly dead: number }
    | undefined;
  readonly feesToday: FeesToday | undefined;
  readonly lostLogLines: number;
}

/** Reads the parts. If a network, a database or a thread does not answer in time, its gauges keep their values. */
export async function readSources(
  { scheme, catalog, journal, http, webhooks, readiness, lostLogLines }: Sources,
  withinMs: number,
): Promise<Snapshot> {
  const [feesToday, isRpcUp = false, ready, events] = await Promise.all([
    inTime(withinMs, journal.feesToday()),
    inTime(
      withinMs,
      scheme.readBalances().then(() => true),
    ),
    inTime(withinMs, readiness()),
    inTime(withinMs, webhooks?.state()),
    inTime(withinMs, catalog.countListings()),
  ]);
  return {
    scheme: scheme.state(),
    catalog: catalog.state(),
    http: http.state(),
    isRpcUp,
    checks: ready?.checks ?? [],
    webhooks: events && { ...events, oldestMs: Date.now() - (events.oldestAt?.getTime() ?? Date.now()) },
    feesToday,
    lostLogLines: lostLogLines(),
  };
}

/** Returns undefined if a value does not come in time, or at all. Other metrics show the failure. */
const inTime = <Value>(ms: number, value: Value | Promise<Value>): Promise<Value | undefined> =>
  within(Promise.resolve(value), ms).catch(() => undefined);
