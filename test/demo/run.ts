/** Runs the demo as `npm run demo` does, on loopback only. */
import { spawn } from 'node:child_process';
import { StrKey } from '@stellar/stellar-sdk';
import { onTestFinished } from 'vitest';
import { childEnvironment } from '../support/childEnvironment.ts';

const LOOPBACK_ONLY = new URL('loopback-only.ts', import.meta.url).href;

export interface Run {
  /** Everything printed so far. */
  output: { stdout: string; stderr: string };
  exitCode: Promise<number | null>;
  /** Resolves as soon as stdout holds this text; rejects when the process ends without it. */
  printed(text: string): Promise<void>;
  kill(signal: NodeJS.Signals): void;
  /** Closes the pipe that stdout is. */
  stopReading(): void;
}

export const run = (...args: string[]): Run => runIn(childEnvironment, ...args);

function runIn(env: NodeJS.ProcessEnv, ...args: string[]): Run {
  const child = spawn(process.execPath, ['--import', LOOPBACK_ONLY, ...args], { env });
  onTestFinished(() => void child.kill('SIGKILL'));
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', (text: Buffer) => (output.stdout += text.toString()));
  child.stderr.on('data', (text: Buffer) => (output.stderr += text.toString()));
  const exitCode = new Promise<number | null>((resolve) => child.on('close', resolve));
  const printed = (text: string) =>
    new Promise<void>((resolve, reject) => {
      child.stdout.on('data', () => output.stdout.includes(text) && resolve());
      void exitCode.then(() => reject(new Error(`ended without printing ${text}:\n${output.stderr}`)));
    });
  return {
    output,
    exitCode,
    printed,
    kill: (signal) => void child.kill(signal),
    stopReading: () => void child.stdout.destroy(),
  };
}

export const demo = (...args: string[]): Run => run('demo/main.ts', ...args);

/** As in a terminal, in colours. */
export const colouredDemo = (): Run => runIn({ ...childEnvironment, FORCE_COLOR: '1' }, 'demo/main.ts');

export function secretsIn(text: string): string[] {
  return (text.match(/S[A-Z2-7]{55}/g) ?? []).filter((word) => StrKey.isValidEd25519SecretSeed(word));
}
