// The built contracts and their sources.
//
//   npm run contracts              builds them anew, and compares: are they what their sources make?
//   npm run contracts -- --write   builds them anew, and keeps them with their hashes
//
// Without the toolchain that made them nothing can be said, and that is said.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { BUILT_URL, readHashes, readModule, sha256Hex, TOKENS, WALLETS } from './built.ts';
import { otherToolchain, readToolchain, runBuild } from '../toolchain.ts';
import type { Hashes } from '../toolchain.ts';

const NAMES = [...WALLETS, ...TOKENS];

runBuild({ write, check });

function write(): void {
  build(fileURLToPath(BUILT_URL));
  const hashes: Hashes = {
    recipe: 'sandbox/contracts/build.sh',
    toolchain: readToolchain(),
    modules: Object.fromEntries(NAMES.map((name) => [name, sha256Hex(readModule(name))])),
  };
  writeFileSync(new URL('hashes.json', BUILT_URL), `${JSON.stringify(hashes, null, 2)}\n`);
  console.log(`${NAMES.length} modules are built`);
}

function check(): void {
  const hashes = readHashes();
  const { modules } = hashes;
  const problem = otherToolchain(hashes);
  if (problem !== undefined) {
    console.log(`skipped the contracts: ${problem}`);
    return;
  }
  const folder = mkdtempSync(join(tmpdir(), 'contracts-'));
  try {
    build(folder);
    const changed = NAMES.filter(
      (name) => sha256Hex(readModule(name, pathToFileURL(`${folder}/`))) !== modules[name],
    );
    if (changed.length === 0) console.log(`${NAMES.length} modules are what their sources make`);
    else
      console.error(`not what their sources make: ${changed.join(', ')}; run npm run contracts -- --write`);
    process.exitCode = changed.length === 0 ? 0 : 1;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function build(folder: string): void {
  execFileSync(fileURLToPath(new URL('build.sh', import.meta.url)), [folder], { stdio: 'inherit' });
}
