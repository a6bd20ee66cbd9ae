/** What a process may have as its stdout and stderr: places that take nothing, each for a reason of its own. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { childEnvironment } from '../support/childEnvironment.ts';

/** For the end of a process that has nothing to wait for but its last lines. */
const END_WITHIN_MS = 10_000;

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'log-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export function opened(path: string, flags: number | string): number {
  const fd = openSync(path, flags);
  onTestFinished(() => closeSync(fd));
  return fd;
}

/** A pipe, as the file descriptors of its reader and its writer. Neither end waits for the other here. */
function pipe(): { reader: number; writer: number } {
  const path = join(temporaryFolder(), 'pipe');
  execFileSync('mkfifo', [path]);
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  return { reader, writer: opened(path, constants.O_WRONLY) };
}

function unreadPipe(): number {
  const { reader, writer } = pipe();
  onTestFinished(() => closeSync(reader));
  // By a description of its own, since the process gets its own as it is by default: it waits.
  const filler = opened(`/proc/self/fd/${writer}`, constants.O_WRONLY | constants.O_NONBLOCK);
  const block = Buffer.alloc(4096, '\n');
  try {
    for (;;) writeSync(filler, block);
  } catch {
    return writer;
  }
}

function abandonedPipe(): number {
  const { reader, writer } = pipe();
  closeSync(reader);
  return writer;
}

/** As file descriptors that can be written to, as far as anything can. */
export const OUTPUTS = {
  'a full disk': () => opened('/dev/full', 'w'),
  'a pipe that is not read': unreadPipe,
  'a pipe whose reader has gone': abandonedPipe,
} as const;

/** Starts a program with `fd` as its stdout and stderr. It is killed where it does not end in time when it should. */
export function startOn(fd: number, program: string, args: readonly string[], env: Record<string, string>) {
  const child = spawn(program, args, {
    stdio: ['ignore', fd, fd, 'ipc'],
    env: { ...childEnvironment, ...env },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = new Promise<number | null>((resolve) => child.on('exit', (code) => resolve(code)));
  return {
    kill: (signal: NodeJS.Signals) => void child.kill(signal),
    /** Resolves when the process has answered. */
    async tell(message: number): Promise<void> {
      child.send(message);
      await once(child, 'message');
    },
    disconnect: () => child.disconnect(),
    /** The exit code; null where it had to be killed. */
    async end(): Promise<number | null> {
      const giveUp = setTimeout(() => child.kill('SIGKILL'), END_WITHIN_MS);
      const code = await ended;
      clearTimeout(giveUp);
      return code;
    },
  };
}
