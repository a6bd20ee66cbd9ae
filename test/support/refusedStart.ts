/** Starts of the service that a file stops, in this process or in one of their own. */
import { Keypair } from '@stellar/stellar-sdk';
import { expect } from 'vitest';
import { configure } from '../../src/config/config.ts';
import { SILENT_LOG } from '../../src/log/log.ts';
import { openService } from '../../src/service.ts';
import { UnusableFile, type FileName } from '../../src/store/sqliteFile.ts';
import type { Child } from '../catalog/child.ts';

const SUBMITTER_SECRET = Keypair.fromRawEd25519Seed(Buffer.alloc(32, 1)).secret();
export const ENV = { SUBMITTER_SECRET, RPC_URL: 'http://127.0.0.1:1/provider-key-of-20-chars', PORT: '0' };
/** No user of this machine, for tests that run as root, whom no permission stops. */
const NOBODY = 65_534;

/** Starts the service in this process as `main.ts` does, and stops it again. Returns why `file` refused it. */
export async function startInside(DB_PATH: string, file: FileName = 'catalog'): Promise<string | undefined> {
  const configured = configure({ ...ENV, DB_PATH });
  if ('problems' in configured) {
    expect(configured.problems).toEqual([{ variable: 'DB_PATH', text: expect.any(String) }]);
    return shown(configured.problems[0]!.text);
  }
  try {
    const service = await openService({ ...configured, log: SILENT_LOG });
    await service.close();
    return undefined;
  } catch (error) {
    expect(error).toBeInstanceOf(UnusableFile);
    expect((error as UnusableFile).file).toBe(file);
    return shown((error as UnusableFile).message);
  }
}

/** It ends before it listens, with one line that says what to do and shows neither path nor secret. */
export async function expectRefused(child: Child, line: RegExp): Promise<void> {
  const { code, lines, stderr } = await child.ended;
  expect({ stderr, code, lines }).toEqual({ stderr: expect.stringMatching(line), code: 78, lines: [] });
  expect(stderr.at(-1)).toBe('\n');
  shown(stderr.slice(0, -1));
}

function shown(text: string): string {
  for (const never of ['\n', 'catalog-', SUBMITTER_SECRET]) expect(text).not.toContain(never);
  return text;
}

/** Does it as a user whom permissions stop. */
export function withoutRights<T>(work: () => T): T {
  const restore = giveUpRights();
  try {
    return work();
  } finally {
    restore();
  }
}

/** Does the same with work that takes a while. */
export async function withoutRightsUntil<T>(work: () => Promise<T>): Promise<T> {
  const restore = giveUpRights();
  try {
    return await work();
  } finally {
    restore();
  }
}

function giveUpRights(): () => void {
  if (process.getuid?.() !== 0) return () => {};
  process.seteuid!(NOBODY);
  return () => process.seteuid!(0);
}
