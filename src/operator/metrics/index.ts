export type { FeeBudgets } from './gauges.ts';
export { createMetrics, type Metrics, type MetricsText, type Observers } from './metrics.ts';
export type { Sources } from './sources.ts';
