import { fork } from 'node:child_process';
import { once } from 'node:events';

/** A process that has not ended by itself within this time is killed. */
const END_TIMEOUT_MS = 10_000;

/** A process of the bench. It ends with this one, however this one ends. */
export interface Child<Started> extends AsyncDisposable {
  started: Started;
  /** What it says of itself (see servers/child.ts). */
  ask<Answer>(question: string): Promise<Answer>;
}

/** Starts a module of `servers/`. Throws where the process ends before it says that it has started. */
export async function startChild<Started>(module: string, setup: object): Promise<Child<Started>> {
  const child = fork(new URL(`servers/${module}`, import.meta.url), { execArgv: ['--expose-gc'] });
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
    ask(question) {
      const id = ++questions;
      const answered = new Promise((resolve) => answers.set(id, resolve));
      child.send({ id, question });
      return Promise.race([answered, unexpectedEnd]) as Promise<never>;
    },
    async [Symbol.asyncDispose]() {
      child.disconnect();
      const late = setTimeout(() => child.kill('SIGKILL'), END_TIMEOUT_MS);
      await ended;
      clearTimeout(late);
    },
  };
}
