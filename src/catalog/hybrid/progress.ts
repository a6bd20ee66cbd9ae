import type { CatalogLog } from '../log.ts';
import type { HybridProgress } from '../store.ts';

const LOG_EVERY_MS = 10_000;

/** Logs how far the hybrid ranking's index is, so that an operator sees when searches use it. */
export function createHybridProgress(log: Pick<CatalogLog, 'info'>) {
  let latest: HybridProgress | undefined;
  let beganAtMs = 0;
  let loggedAtMs = 0;
  /** What is written later is a step or two: only the first filling is told of. */
  let isFilled = false;

  return {
    latest: () => latest,
    hear(progress: HybridProgress): void {
      const nowMs = performance.now();
      const isWhole = progress.indexed >= progress.listings;
      if (latest === undefined || latest.indexed > progress.indexed) {
        beganAtMs = loggedAtMs = nowMs;
        isFilled = false;
      }
      latest = progress;
      if (isFilled) return;
      if (isWhole) {
        isFilled = true;
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
