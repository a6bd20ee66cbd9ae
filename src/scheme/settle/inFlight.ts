import type { SettleLimits } from '../limits.ts';

/** The authorizations that are being settled right now. */
export interface InFlight {
  /**
   * Runs `work` after all earlier work on the same authorization, in order of arrival. Returns undefined if too much is
   * waiting already. So two settlements of one authorization can never both pay: the second sees the first one's
   * outcome on the ledger. Nothing is remembered beyond that.
   */
  alone<T>(authorization: string, work: () => Promise<T>): Promise<T> | undefined;
  /** True while work on this authorization is under way, or waits. */
  has(authorization: string): boolean;
}

interface Line {
  length: number;
  /** Resolves when the last work in line has finished. */
  end: Promise<void>;
}

export function createInFlight(
  limits: Pick<SettleLimits, 'maxWaitingPerAuthorization' | 'maxWaitingForAuthorizations'>,
): InFlight {
  const lines = new Map<string, Line>();
  /** The number that wait behind others of their authorization, in all lines. */
  let waiting = 0;

  return {
    alone(authorization, work) {
      const line = lines.get(authorization) ?? { length: 0, end: Promise.resolve() };
      const waits = line.length > 0;
      if (line.length > limits.maxWaitingPerAuthorization) return undefined;
      if (waits && waiting >= limits.maxWaitingForAuthorizations) return undefined;
      if (waits) waiting++;
      const run = line.end.then(() => {
        if (waits) waiting--;
        return work();
      });
      const leave = () => {
        line.length--;
        if (line.length === 0) lines.delete(authorization);
      };
      line.length++;
      line.end = run.then(leave, leave);
      lines.set(authorization, line);
      return run;
    },
    has: (authorization) => lines.has(authorization),
  };
}
