import type { Refusal } from '../contract/index.ts';
import type { CatalogLimits } from './limits.ts';
import { createCheapestFirst, createRoundRobin, type Line, type Place } from './lines.ts';
import type { Operation } from './protocol.ts';

/** A request that waits for a thread. */
export interface Waiting extends Place {
  readonly operation: Operation;
  readonly request: unknown;
  /** Fires when nobody waits for the answer any more. */
  readonly gone?: AbortSignal | undefined;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/** Refuses a request that could not be carried out in time, or for which nobody waits any more. */
export type Overloaded = Refusal<'svc_overloaded'>;

export const OVERLOADED: Overloaded = {
  code: 'svc_overloaded',
  message: 'The service is overloaded and did not look at this request; try again after Retry-After seconds.',
};

/** Keeps requests that wait for a kind of thread, limited in number and time. Resolves the others to a refusal. */
export interface Queue {
  readonly length: number;
  add(waiting: Waiting): void;
  /** Removes and returns the next request to carry out. */
  next(): Waiting | undefined;
}

interface Kind {
  readonly line: Line<Waiting>;
  readonly places: number;
  readonly waitMs: number;
}

type KindName = 'log' | 'declaration' | 'part' | 'question';

/** The line in which each operation waits. */
const KIND_OF: Record<Operation, KindName> = {
  submit: 'declaration',
  propose: 'declaration',
  proposeDescription: 'declaration',
  apply: 'log',
  prepare: 'log',
  fill: 'log',
  writeFill: 'log',
  standing: 'log',
  keeperWrite: 'declaration',
  recordProof: 'declaration',
  proposeProof: 'declaration',
  more: 'part',
  list: 'question',
  keeperRead: 'question',
  unproven: 'question',
  endingProofs: 'question',
  search: 'question',
  count: 'question',
  checkWritable: 'log',
};

/**
 * The shared log comes first, few batches at a time. Declarations come next, since settlements wait for them. Then
 * questions take turns with further parts of pages that are being read. So a page that was begun is finished however much
 * is asked, and large pages don't hold up questions.
 */
export function createQueue(limits: CatalogLimits): Queue {
  const { maxWaiting: places, answerTimeoutMs: waitMs } = limits;
  const log = createCheapestFirst<Waiting>();
  const declarations = createCheapestFirst<Waiting>();
  const parts = createRoundRobin<Waiting>();
  const questions = createRoundRobin<Waiting>(limits.newestFirstAfterMs);
  const kinds: Record<KindName, Kind> = {
    log: { line: log, places, waitMs },
    declaration: { line: declarations, places, waitMs },
    part: { line: parts, places, waitMs },
    question: { line: questions, places: limits.maxWaitingQuestions, waitMs: limits.questionWaitMs },
  };
  let turn = [parts, questions];
  /** Stops the wait of each request: clears its timer, and stops listening for its caller to leave. */
  const endings = new Map<Waiting, () => void>();

  function turnAway(waiting: Waiting): void {
    kinds[KIND_OF[waiting.operation]].line.remove(waiting);
    endings.get(waiting)?.();
    waiting.resolve(OVERLOADED);
  }

  return {
    get length() {
      return log.size + declarations.size + parts.size + questions.size;
    },
    add(waiting) {
      const { line, places, waitMs } = kinds[KIND_OF[waiting.operation]];
      const { gone } = waiting;
      const onOver = (): void => turnAway(waiting);
      if (gone?.aborted) return onOver();
      const timer = setTimeout(onOver, waitMs);
      gone?.addEventListener('abort', onOver);
      endings.set(waiting, () => {
        clearTimeout(timer);
        gone?.removeEventListener('abort', onOver);
        endings.delete(waiting);
      });
      line.add(waiting);
      const surplus = line.size > places ? line.surplus() : undefined;
      if (surplus !== undefined) turnAway(surplus);
    },
    next() {
      turn = turn.toReversed();
      const waiting = log.next() ?? declarations.next() ?? turn[0]!.next() ?? turn[1]!.next();
      if (waiting !== undefined) endings.get(waiting)?.();
      return waiting;
    },
  };
}
