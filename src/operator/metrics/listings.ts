import type { CatalogObserver } from '../../catalog/index.ts';
import { seconds, type Instruments } from './instruments.ts';

const BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** Counts what the catalog writes, and measures how long writes, lists and searches take. */
export function createCatalogMetrics({ counter, histogram }: Instruments): CatalogObserver {
  const submissions = counter(
    'catalog_submissions_total',
    'Settled payments submitted for listing, by outcome (success, rejected, failed) and code.',
    ['outcome', 'code'],
  );
  const writes = histogram('catalog_write_duration_seconds', 'Time to list a settled payment.', BUCKETS);
  const questions = histogram(
    'catalog_query_duration_seconds',
    'Time until a list or search has the first part of its page, by operation.',
    BUCKETS,
    ['operation'],
  );
  // rate() misses the first event of a series that starts with it, so each series starts at 0.
  for (const outcome of ['success', 'failed']) submissions.inc({ outcome, code: '' }, 0);
  return {
    submitted(outcome, code, ms) {
      submissions.inc({ outcome, code: code ?? '' });
      if (outcome === 'success') writes.observe(seconds(ms));
    },
    answered: (operation, ms) => questions.observe({ operation }, seconds(ms)),
  };
}
