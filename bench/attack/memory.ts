import { readFileSync, writeFileSync } from 'node:fs';

const INTERVAL_MS = 100;

export interface MemoryWatch extends Disposable {
  /** The most that the process has had resident since it began, or since forgetPeak; NaN where the system has no /proc. */
  peakMib(): number;
}

/** Looks at a process until it is disposed of. What was seen last stays known when the process has ended. */
export function watchMemory(pid: number): MemoryWatch {
  let peakMib = NaN;
  const look = (): void => {
    const seen = residentPeakMib(pid);
    if (!Number.isNaN(seen)) peakMib = seen;
  };
  const timer = setInterval(look, INTERVAL_MS);
  return {
    peakMib() {
      look();
      return peakMib;
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}

/** Lets the peak of a process begin anew, at what it has resident now. */
export function forgetPeak(pid: number): void {
  // https://docs.kernel.org/filesystems/proc.html: 5 resets VmHWM.
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
}

function residentPeakMib(pid: number): number {
  try {
    const [, kib] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return Number(kib) / 1024;
  } catch {
    return NaN;
  }
}
