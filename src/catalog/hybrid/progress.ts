import type { CatalogLog } from '../log.ts';
import type { HybridProgress } from '../store.ts';

const LOG_EVERY_MS = 10_000;

/** Logs how far the hybrid ranking's index is, so that an operator sees when searches use it. */
export function createHybridProgress(log: Pick<CatalogLog, 'info'>) {
  let latest: HybridProgress | undefined;
  let beganAtMs = 0;
  let loggedAtMs = 0;

  return {
    latest: () => latest,
    hear(progress: HybridProgress): void {
      const nowMs = performance.now();
      const isWhole = progress.indexed >= progress.listings;
      if (latest === undefined || latest.indexed > progress.indexed) beganAtMs = loggedAtMs = nowMs;
      latest = progress;
      if (isWhole) {
        const tookMs = Math.round(nowMs - beganAtMs);
        log.info({ listings: progress.listings, tookMs }, 'searches are ranked by words and meaning');
      } else if (nowMs - loggedAtMs >= LOG_EVERY_MS) {
        loggedAtMs = nowMs;
        log.info(
          { ...progress },
          'the index of the hybrid ranking is being filled: searches are ranked by words',
        );
      }
    },
  };
}
