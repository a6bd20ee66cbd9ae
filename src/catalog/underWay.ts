import type { Answer, Operation, Question } from './protocol.ts';

/** The requests that a thread has not answered yet, including those made while its worker starts. */
export interface UnderWay {
  readonly size: number;
  /** Adds a request. Returns the question to send and the promise of its answer. */
  add(operation: Operation, request: unknown): { question: Question; promise: Promise<unknown> };
  questions(): Question[];
  /** Passes on an answer. Does nothing if the caller has already been told that there is none. */
  answer(answer: Answer): void;
  rejectAll(error: Error): void;
}

interface Waiting {
  readonly question: Question;
  readonly timeout: NodeJS.Timeout;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/** Rejects a request after `timeoutMs`, and calls `onTimeout`. */
export function createUnderWay(timeoutMs: number, onTimeout: () => void): UnderWay {
  const byId = new Map<number, Waiting>();
  let asked = 0;

  function take(id: number): Waiting | undefined {
    const taken = byId.get(id);
    byId.delete(id);
    clearTimeout(taken?.timeout);
    return taken;
  }

  function giveUpOn(id: number): void {
    const late = take(id);
    if (late === undefined) return;
    onTimeout();
    late.reject(new Error(`the catalog gave no answer within ${timeoutMs} ms`));
  }

  return {
    get size() {
      return byId.size;
    },
    add(operation, request) {
      const { promise, resolve, reject } = Promise.withResolvers<unknown>();
      const id = (asked += 1);
      const question = { id, operation, request };
      // If this thread was blocked, the answer may have arrived without being read: read it first.
      const timeout = setTimeout(() => void setImmediate(() => giveUpOn(id)), timeoutMs);
      byId.set(id, { question, timeout, resolve, reject });
      return { question, promise };
    },
    questions: () => [...byId.values()].map(({ question }) => question),
    answer(answer) {
      const asked = take(answer.id);
      if ('error' in answer) asked?.reject(answer.error);
      else asked?.resolve(answer.value);
    },
    rejectAll(error) {
      for (const id of [...byId.keys()]) take(id)?.reject(error);
    },
  };
}
