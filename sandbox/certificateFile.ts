/** Puts the sandbox's certificate where commands find it, at every start in the same place. */
import { mkdirSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { writeWhole } from './stateFile.ts';

export interface CertificateFile {
  path: string;
  remove(): void;
}

/** `port` is that of https. Sandboxes that run at the same time have different ones, and so different files. */
export function writeCertificate(pem: string, port: number): CertificateFile {
  // In the home folder, since others could put theirs into a shared one.
  const folder = join(homedir(), '.stellar-sandbox');
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `ca-${port}.pem`);
  writeWhole(path, pem);
  return { path, remove: () => rmSync(path, { force: true }) };
}
