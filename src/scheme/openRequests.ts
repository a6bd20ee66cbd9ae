import { within } from './within.ts';

/** The requests that senders wait for. */
export interface OpenRequests {
  /** Counts a request as open until it is answered. */
  track<Answer>(work: Promise<Answer>): Promise<Answer>;
  /** Resolves once every request is answered, but no later than after `limitMs`. */
  answered(limitMs: number): Promise<void>;
}

export function createOpenRequests(): OpenRequests {
  const open = new Set<Promise<unknown>>();

  async function allAnswered(): Promise<void> {
    while (open.size > 0) await Promise.allSettled(open);
  }

  return {
    track(work) {
      open.add(work);
      return work.finally(() => open.delete(work));
    },
    answered: (limitMs) => within(allAnswered(), limitMs),
  };
}
