import { setTimeout as sleep } from 'node:timers/promises';
import type { OperatorHandlers, OperatorIn, Overview } from '../../contract/index.ts';
import type { OperatorLimits } from '../limits.ts';
import { refuse } from '../refusal.ts';

interface Deps {
  overview(): Promise<Overview>;
  /** Fires when the service stops. */
  closing: AbortSignal;
  limits: Pick<OperatorLimits, 'maxStreams' | 'eventEveryMs'>;
}

/** Shows how the service is, once or as a stream. All viewers share one overview. */
export function createOverviewHandlers({
  overview,
  closing,
  limits,
}: Deps): Pick<OperatorHandlers, 'getOverview' | 'streamEvents'> {
  let streams = 0;
  const current = shared(overview, limits.eventEveryMs);

  async function* eventsOf({ gone, isStillAllowed }: OperatorIn<'streamEvents'>): AsyncIterable<string> {
    const isOver = AbortSignal.any([gone, closing]);
    streams += 1;
    try {
      for (let last = ''; !isOver.aborted; await pause(limits.eventEveryMs, isOver)) {
        const { at, ...rest } = await current();
        if (!isStillAllowed()) return;
        const text = JSON.stringify(rest);
        // A comment keeps the connection alive, and shows the page that the service still answers.
        yield text === last ? ':\n\n' : `event: overview\ndata: ${JSON.stringify({ at, ...rest })}\n\n`;
        last = text;
      }
    } finally {
      streams -= 1;
    }
  }

  return {
    getOverview: async () => ({ status: 200, body: await current() }),
    streamEvents(input) {
      if (streams >= limits.maxStreams)
        return refuse('op_overloaded', `${limits.maxStreams} streams are open already: close one.`);
      return { status: 200, body: { contentType: 'text/event-stream', text: eventsOf(input) } };
    },
  };
}

/** Returns a function that does the work at most once per `forMs`, however often it is called. */
function shared<Result>(work: () => Promise<Result>, forMs: number): () => Promise<Result> {
  let last: Promise<Result> | undefined;
  let begunAt = -Infinity;
  return () => {
    if (last === undefined || performance.now() - begunAt >= forMs) {
      begunAt = performance.now();
      last = work();
    }
    return last;
  };
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => {});
}
