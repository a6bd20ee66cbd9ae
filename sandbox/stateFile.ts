/** Keeps a network's state in a file, which a later sandbox goes on from. */
import {
  closeSync,
  fchmodSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import type { Network } from './network.ts';
import { parseSaved, type SavedNetwork } from './saved.ts';

/** A sandbox that is killed loses at most this much. */
const SAVE_EVERY_MS = 5_000;
const OWNER_ONLY = 0o600;

/** Returns why no file can be made beside this path; undefined if one can. Only an attempt reveals read-only disks. */
export function folderProblem(path: string): string | undefined {
  const folder = dirname(path);
  const attempt = unfinishedOf(path);
  try {
    closeSync(openSync(attempt, 'w', OWNER_ONLY));
    rmSync(attempt);
    return undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' || code === 'ENOTDIR'
      ? `there is no folder ${folder}`
      : `no file can be made in the folder ${folder} (${code})`;
  }
}

/** Returns undefined if there is no such file. Throws if it holds anything else. */
export function readState(path: string): SavedNetwork | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  return parseSaved(text);
}

export interface StateKeeper {
  /** Saves for the last time. Throws if it cannot. */
  close(): void;
}

/** Saves the state now and every few seconds, if it has changed. Throws if the file cannot be written now. */
export function keepState(network: Network, path: string, onFault: (error: Error) => void): StateKeeper {
  let saved = '';
  const save = (): void => {
    const text = JSON.stringify(network.save());
    if (text === saved) return;
    writeWhole(path, text);
    saved = text;
  };
  save();
  const timer = setInterval(() => {
    try {
      save();
    } catch (error) {
      onFault(error as Error);
    }
  }, SAVE_EVERY_MS);
  return {
    close() {
      clearInterval(timer);
      save();
    },
  };
}

const unfinishedOf = (path: string): string => `${path}.${process.pid}.part`;

/** Writes a file that only its owner may read, whole or not at all: others never see a part of it. */
export function writeWhole(path: string, text: string): void {
  const unfinished = unfinishedOf(path);
  try {
    const file = openSync(unfinished, 'w', OWNER_ONLY);
    try {
      fchmodSync(file, OWNER_ONLY);
      writeFileSync(file, text);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(unfinished, path);
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw error;
  }
}
