import { collectDefaultMetrics, Registry, type OpenMetricsContentType } from 'prom-client';
import type { CatalogObserver } from '../../catalog/index.ts';
import type { HttpObserver } from '../../http/observer.ts';
import type { SchemeObserver } from '../../scheme/index.ts';
import type { WebhookObserver } from '../../webhooks/index.ts';
import type { RpcObserver } from '../../stellar/rpc/observer.ts';
import { createBatches } from './batches.ts';
import { createGauges, type FeeBudgets } from './gauges.ts';
import { createInstruments } from './instruments.ts';
import { createCatalogMetrics } from './listings.ts';
import { createPaymentMetrics } from './payments.ts';
import { createRequestMetrics, type Refusals } from './requests.ts';
import { createRpcMetrics } from './rpcCalls.ts';
import { createWebhookMetrics } from './webhooks.ts';
import { readSources, type Sources } from './sources.ts';

export interface MetricsDeps {
  readonly version: string;
  readonly network: string;
  readonly feeBudgets: FeeBudgets;
  /** A scrape waits no longer than this for balances, fees and the number of listings. */
  readonly readWithinMs?: number;
}

/** Receives what each part reports. */
export interface Observers {
  readonly http: HttpObserver;
  readonly scheme: SchemeObserver;
  readonly rpc: RpcObserver;
  readonly catalog: CatalogObserver;
  readonly webhooks: WebhookObserver;
  /** Counts a logged fault of the journal. */
  journalFailed(): void;
}

export interface MetricsText {
  readonly contentType: string;
  readonly body: string;
}

/** Counts what the service does, in a registry of its own. */
export interface Metrics extends Refusals {
  readonly observers: Observers;
  /** Returns all metrics in the text format of OpenMetrics. Reads the gauges from the parts. */
  text(sources: Sources): Promise<MetricsText>;
}

const READ_WITHIN_MS = 3_000;
/** Each sample of the event loop costs time: 20 a second are enough to see it stall. */
const EVENT_LOOP_INTERVAL_MS = 50;

export function createMetrics(deps: MetricsDeps): Metrics {
  const { version, network, feeBudgets, readWithinMs = READ_WITHIN_MS } = deps;
  const registry = new Registry<OpenMetricsContentType>();
  registry.setContentType(Registry.OPENMETRICS_CONTENT_TYPE);
  const instruments = createInstruments(registry);
  const journalFaults = instruments.counter(
    'journal_faults_total',
    'Failed reads and writes of the journal, as logged.',
  );
  const requests = createRequestMetrics(instruments);
  const rpcCalls = createRpcMetrics(instruments);
  // Each verify reports to these two.
  const batches = createBatches();
  const observers: Observers = {
    http: { answered: batches.of(requests.answered) },
    scheme: createPaymentMetrics(instruments),
    rpc: { called: batches.of(rpcCalls.called) },
    catalog: createCatalogMetrics(instruments),
    webhooks: createWebhookMetrics(instruments),
    journalFailed: () => journalFaults.inc(),
  };
  const setGauges = createGauges(instruments, feeBudgets);
  instruments
    .gauge('build_info', 'Always 1; the labels show the version and the network.', ['version', 'network'])
    .set({ version, network }, 1);
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: EVENT_LOOP_INTERVAL_MS });
  return {
    observers,
    refusals() {
      batches.flush();
      return requests.refusals();
    },
    async text(sources) {
      batches.flush();
      setGauges(await readSources(sources, readWithinMs));
      return { contentType: registry.contentType, body: await registry.metrics() };
    },
  };
}
