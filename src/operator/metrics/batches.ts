/**
 * Keeps reports, and counts them many at a time. Counted one by one, between other work, each costs several times as
 * much CPU.
 */
export interface Batches {
  /** Returns a function that keeps a report for `count`. */
  of<Report extends unknown[]>(count: (...report: Report) => void): (...report: Report) => void;
  /** Counts all reports that are kept. */
  flush(): void;
}

const REPORTS_KEPT = 256;

export function createBatches(): Batches {
  const flushes: (() => void)[] = [];
  return {
    of<Report extends unknown[]>(count: (...report: Report) => void) {
      const kept: Report[] = [];
      const flush = (): void => {
        for (const report of kept) count(...report);
        kept.length = 0;
      };
      flushes.push(flush);
      return (...report: Report) => {
        kept.push(report);
        if (kept.length >= REPORTS_KEPT) flush();
      };
    },
    flush() {
      for (const flush of flushes) flush();
    },
  };
}
