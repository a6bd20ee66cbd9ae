export interface JournalLog {
  error(fields: object, message: string): void;
}

/** Does work on the file. If that fails, logs what could not be done and returns the fallback. */
export type Guard = <Result>(what: string, fallback: Result, work: () => Result) => Result;

/** Does work on a database over a network, like a Guard. */
export type AsyncGuard = <Result>(
  what: string,
  fallback: Result,
  work: () => Promise<Result>,
) => Promise<Result>;

export function createAsyncGuard(log: JournalLog): AsyncGuard {
  return (what, fallback, work) =>
    work().catch((err: unknown) => {
      log.error({ err }, `the journal failed: ${what}`);
      return fallback;
    });
}

export function createGuard(log: JournalLog): Guard {
  return (what, fallback, work) => {
    try {
      return work();
    } catch (err) {
      log.error({ err }, `the journal failed: ${what}`);
      return fallback;
    }
  };
}
