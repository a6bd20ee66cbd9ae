import { fork } from 'node:child_process';
import { once } from 'node:events';

/** A process that has not ended by itself within this time is killed. */
const END_TIMEOUT_MS = 10_000;

/** A process of the bench. It ends with this one, however this one ends. */
export interface Child<Started> extends AsyncDisposable {
  started: Started;
  pid: number;
  hasEnded(): boolean;
  /** Asks it about itself (see servers/child.ts). */
  ask<Answer>(question: string): Promise<Answer>;
}

/**
 * Starts a module of `servers/`, with Node's own limit on its heap unless told. Throws where the process ends before it
 * says that it has started.
 */
export async function startChild<Started>(
  module: string,
  setup: object,
  { heapMib }: { heapMib?: number } = {},
): Promise<Child<Started>> {
  const heap = heapMib === undefined ? [] : [`--max-old-space-size=${heapMib}`];
  const child = fork(new URL(`servers/${module}`, import.meta.url), { execArgv: ['--expose-gc', ...heap] });
  const ended = once(child, 'exit');
  const unexpectedEnd = ended.then(([code]) => {
    throw new Error(`${module} ended (${code})`);
  });
  unexpectedEnd.catch(() => {});
  const answers = new Map<number, (answer: unknown) => void>();
  let questions = 0;

  child.send(setup);
  const [started] = (await Promise.race([once(child, 'message'), unexpectedEnd])) as [Started];
  child.on('message', ({ id, answer }: { id: number; answer: unknown }) => {
    answers.get(id)?.(answer);
    answers.delete(id);
  });
  return {
    started,
    pid: child.pid!,
    hasEnded: () => child.exitCode !== null || child.signalCode !== null,
    ask(question) {
      const id = ++questions;
      const answered = new Promise((resolve) => answers.set(id, resolve));
      child.send({ id, question });
      return Promise.race([answered, unexpectedEnd]) as Promise<never>;
    },
    async [Symbol.asyncDispose]() {
      if (child.connected) child.disconnect();
      const late = setTimeout(() => child.kill('SIGKILL'), END_TIMEOUT_MS);
      await ended;
      clearTimeout(late);
    },
  };
}
