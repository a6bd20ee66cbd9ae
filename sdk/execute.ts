import { spawn } from 'node:child_process';

/** A command that hangs, over the network for example, ends after this. */
const COMMAND_LIMIT_MS = 300_000;

/** Whether a command ended well, and what it wrote to both streams, after the command itself. */
export interface Execution {
  ok: boolean;
  output: string;
}

export function execute(
  command: readonly string[],
  cwd: string,
  env: Record<string, string> = {},
): Promise<Execution> {
  const [program = '', ...args] = command;
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      cwd,
      env: { ...process.env, NO_COLOR: '1', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: COMMAND_LIMIT_MS,
    });
    let output = `$ ${command.join(' ')}\n`;
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.on('error', ({ message }) => resolve({ ok: false, output: `${output}${message}\n` }));
    child.on('close', (code, signal) =>
      resolve({ ok: code === 0, output: signal ? `${output}ended by ${signal}\n` : output }),
    );
  });
}

/** One after the other, up to the first that fails. */
export async function executeAll(commands: readonly string[][], cwd: string): Promise<Execution> {
  let output = '';
  for (const command of commands) {
    const execution = await execute(command, cwd);
    output += execution.output;
    if (!execution.ok) return { ok: false, output };
  }
  return { ok: true, output };
}
