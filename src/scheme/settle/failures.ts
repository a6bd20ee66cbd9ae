/** A failure counts for this long. */
export const FAILURES_COUNT_MS = 3_600_000;

/** The settlements of each party that failed on the ledger within the last hour. Each cost the operator a fee. */
export interface Failures {
  /** Counts the failures of a party within the last hour. */
  count(party: string): number;
  /** Notes a failure that happened `agoMs` ago. */
  note(party: string, agoMs?: number): void;
}

export function createFailures(now: () => number): Failures {
  const failures = new Map<string, number[]>();

  function count(party: string): number {
    const known = failures.get(party);
    if (known === undefined) return 0;
    const recent = known.filter((at) => now() - at < FAILURES_COUNT_MS);
    if (recent.length === 0) failures.delete(party);
    else failures.set(party, recent);
    return recent.length;
  }

  return {
    count,
    note(party, agoMs = 0) {
      for (const known of failures.keys()) count(known);
      failures.set(party, [...(failures.get(party) ?? []), now() - agoMs]);
    },
  };
}
