import type { Log } from '../log/log.ts';

/** Logs how the export of spans goes: each kind of line at most once per `everyMs`. */
export interface ExportLog {
  /** Counts spans that the collector did not take. */
  lost(spans: number, error: Error): void;
  /** Records that the collector took spans. */
  delivered(): void;
  /** Passes on what the library says. */
  warn(text: string): void;
}

export function createExportLog(
  log: Pick<Log, 'info' | 'warn'>,
  { everyMs, now }: { everyMs: number; now: () => number },
): ExportLog {
  let lostSpans = 0;
  let isFailing = false;
  const at = { loss: -Infinity, warning: -Infinity };

  /** True if a line of this kind is due. */
  function isDue(kind: keyof typeof at): boolean {
    if (now() - at[kind] < everyMs) return false;
    at[kind] = now();
    return true;
  }

  return {
    lost(spans, err) {
      lostSpans += spans;
      if (!isDue('loss')) return;
      log.warn({ spans: lostSpans, err }, 'spans are lost: the collector does not accept them');
      [lostSpans, isFailing] = [0, true];
    },
    delivered() {
      if (!isFailing || !isDue('loss')) return;
      log.info({ spans: lostSpans }, 'the collector accepts spans again');
      [lostSpans, isFailing] = [0, false];
    },
    warn(text) {
      if (isDue('warning')) log.warn({ text }, 'OpenTelemetry warns');
    },
  };
}
