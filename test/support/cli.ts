import { expect } from 'vitest';
import { runCli } from '../../src/cli/run.ts';

/** Runs a command in this process, which is quicker than in its own. What it shows never holds a secret key. */
export async function runInside(
  args: readonly string[],
  environment: Record<string, string | undefined>,
  columns?: number,
) {
  const output = { stdout: '', stderr: '' };
  const code = await runCli(args, {
    environment,
    terminal: {
      say: (text) => void (output.stdout += `${text}\n`),
      note: (text) => void (output.stderr += `${text}\n`),
      write(text) {
        output.stdout += text;
        return Promise.resolve(true);
      },
      columns,
    },
  });
  expect(output.stdout + output.stderr).not.toMatch(/S[A-Z2-7]{55}/);
  return { code, ...output };
}
