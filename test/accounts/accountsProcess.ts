/** The accounts tool, in this process or in one of its own, with a terminal that is watched for secrets. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { Keypair } from '@stellar/stellar-sdk';
import { expect, onTestFinished } from 'vitest';
import { childEnvironment } from '../support/childEnvironment.ts';
import { runInside } from '../support/cli.ts';

const PROJECT = process.cwd();
const MAIN = new URL('../../dist/stellar-facilitator.js', import.meta.url).pathname;

export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface Run {
  ended: Promise<Ended>;
  kill(): void;
}

/** Starts the tool in a folder, in a process of its own; what it has written never holds a secret key, however it ends. */
export function startAccounts(cwd: string, environment: Record<string, string>, ...args: string[]): Run {
  const child = spawn(process.execPath, [MAIN, 'accounts', ...args], {
    cwd,
    env: { ...childEnvironment, ...environment },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', (text: Buffer) => (output.stdout += text.toString()));
  child.stderr.on('data', (text: Buffer) => (output.stderr += text.toString()));
  const ended = new Promise<Ended>((resolve, reject) =>
    child.on('close', (code) => {
      if (/S[A-Z2-7]{55}/.test(output.stdout + output.stderr)) reject(new Error('a secret key was shown'));
      else resolve({ code, ...output });
    }),
  );
  return { ended, kill: () => void child.kill('SIGKILL') };
}

/** Runs the tool in a folder, but in this process, which is quicker. */
export async function runAccounts(
  cwd: string,
  environment: Record<string, string>,
  ...args: string[]
): Promise<Ended> {
  process.chdir(cwd);
  try {
    return await runInside(['accounts', ...args], environment);
  } finally {
    process.chdir(PROJECT);
  }
}

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'accounts-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** The line that the service is started with. */
export function submitterSecretIn(file: string): string {
  return parseEnv(readFileSync(file, 'utf8'))['SUBMITTER_SECRET']!;
}

/** The public addresses of a file's keys. */
export function addressesIn(file: string): string[] {
  return submitterSecretIn(file)
    .split(',')
    .map((secret) => Keypair.fromSecret(secret).publicKey());
}

export function expectDone({ code, stdout, stderr }: Ended): void {
  expect({ code, stderr, stdout }).toMatchObject({ code: 0 });
}
