import { createContext, Script } from 'node:vm';
import { EVALUATION_CPU_LIMIT_MS, EVALUATION_LIMIT_MS, MAX_EVALUATION_ATTEMPTS } from '../limits.ts';

// One context serves all runs. It holds the work only while that runs.
const room = createContext({ work: undefined });
const script = new Script('work()');

/**
 * Runs work that untrusted input may make endless. `work` may be interrupted and run again, so it must have no effects.
 * Time in which the machine was busy elsewhere does not count against it.
 *
 * Throws what `work` throws, except a RangeError, which counts as exhausted. Throws if no attempt got enough time.
 */
export function runBounded<Result>(work: () => Result): { readonly result: Result } | 'exhausted' {
  for (let attempt = 0; attempt < MAX_EVALUATION_ATTEMPTS; attempt += 1) {
    const before = process.threadCpuUsage();
    try {
      return { result: runFor(EVALUATION_LIMIT_MS * 2 ** attempt, work) };
    } catch (error) {
      // The work ran out of stack, or built a string that is too long.
      if (error instanceof RangeError) return 'exhausted';
      if (!isTimeout(error)) throw error;
      const { user, system } = process.threadCpuUsage(before);
      if ((user + system) / 1_000 >= EVALUATION_CPU_LIMIT_MS) return 'exhausted';
    }
  }
  throw new Error('The machine gave too little processor time to evaluate a schema.');
}

function runFor<Result>(limitMs: number, work: () => Result): Result {
  room.work = work;
  try {
    return script.runInContext(room, { timeout: limitMs }) as Result;
  } finally {
    room.work = undefined;
  }
}

/** True for a timeout. Checks the code, since the context has its own error classes. */
function isTimeout(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
}
