import { EXIT_FAILED } from '../process/exitCodes.ts';
import type { Terminal } from './command.ts';

/** Returns the terminal of a process, which may also be pipes or files. */
export function processTerminal({ stdout, stderr }: Pick<NodeJS.Process, 'stdout' | 'stderr'>): Terminal {
  const note = (text: string): void => void stderr.write(`${text}\n`);
  stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
    // A reader such as `head` has seen enough.
    if (code === 'EPIPE') return;
    note(`the result cannot be written: ${message}`);
    process.exit(EXIT_FAILED);
  });
  return {
    say: (text) => void stdout.write(`${text}\n`),
    note,
    async write(text) {
      const { promise, resolve } = Promise.withResolvers<boolean>();
      stdout.write(text, (error) => resolve(!error));
      return promise;
    },
    columns: stdout.isTTY ? stdout.columns : undefined,
  };
}
