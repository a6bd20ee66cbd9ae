import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { childEnvironment } from '../support/childEnvironment.ts';

export interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
  /** Whole lines of stdout: what was being written at the end is left out. */
  lines: string[];
  stderr: string;
}

export interface Child {
  /** Waits for a line of stdout that starts so, or matches; rejects when the process ends without it. */
  line(wanted: string | RegExp): Promise<string>;
  /** The whole lines of stdout so far. */
  lines(): string[];
  /** Writes a line to its stdin. */
  tell(line: string): void;
  kill(signal: NodeJS.Signals): void;
  ended: Promise<Ended>;
}

export interface ChildOptions {
  env?: Record<string, string | undefined>;
  cwd?: string;
  /** Runs as this user. */
  uid?: number | undefined;
}

/** Starts a script of `children`; `flags` are for node. */
export function startScript(
  name: string,
  args: readonly string[],
  options: ChildOptions & { flags?: readonly string[] } = {},
): Child {
  const { flags = [], ...others } = options;
  return startChild(
    process.execPath,
    [...flags, join(import.meta.dirname, 'children', name), ...args],
    others,
  );
}

/** Starts a program, which is killed when the test ends at the latest. Its environment is only what is given. */
export function startChild(program: string, args: readonly string[], options: ChildOptions = {}): Child {
  const { env = {}, cwd, uid } = options;
  const child = spawn(program, args, {
    env: { ...childEnvironment, ...env },
    ...(cwd !== undefined && { cwd }),
    ...(uid !== undefined && { uid }),
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let stdout = '';
  let stderr = '';
  const linesNow = (): string[] => stdout.split('\n').slice(0, -1);
  const awaited: { wanted: string | RegExp; found(line: string): void; failed(why: Error): void }[] = [];
  const look = (): void => {
    for (const waiting of [...awaited]) {
      const { wanted } = waiting;
      const line = linesNow().find((candidate) =>
        typeof wanted === 'string' ? candidate.startsWith(wanted) : wanted.test(candidate),
      );
      if (line === undefined) continue;
      awaited.splice(awaited.indexOf(waiting), 1);
      waiting.found(line);
    }
  };
  child.stdout.on('data', (text: Buffer) => {
    stdout += text.toString();
    look();
  });
  child.stderr.on('data', (text: Buffer) => (stderr += text.toString()));
  // What is told to a process that has ended is lost.
  child.stdin.on('error', () => {});
  const ended = new Promise<Ended>((resolve) =>
    child.on('close', (code, signal) => {
      for (const { wanted, failed } of awaited) failed(new Error(`it ended without "${wanted}": ${stderr}`));
      resolve({ code, signal, lines: linesNow(), stderr });
    }),
  );
  return {
    line(wanted) {
      const { promise, resolve, reject } = Promise.withResolvers<string>();
      awaited.push({ wanted, found: resolve, failed: reject });
      look();
      return promise;
    },
    lines: linesNow,
    tell: (line) => void child.stdin.write(`${line}\n`),
    kill: (signal) => void child.kill(signal),
    ended,
  };
}
