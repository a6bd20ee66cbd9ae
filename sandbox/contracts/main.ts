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
import type { Hashes } from './built.ts';

const NAMES = [...WALLETS, ...TOKENS];
const TOOLS = { rustc: '/usr/bin/rustc', cargo: '/usr/bin/cargo', linker: 'wasm-ld-22' };

const [option] = process.argv.slice(2);
if (option !== undefined && option !== '--write') {
  console.error(`There is no ${option}; there is --write.`);
  process.exit(1);
}
if (option === '--write') write();
else check();

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
  const { toolchain, modules } = readHashes();
  const [wanted, found] = [toolchain, readToolchain()].map((tools) => Object.values(tools).join(', '));
  if (wanted !== found) {
    console.log(`skipped: the contracts were built with ${wanted}; this machine has ${found}`);
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

function readToolchain(): Record<string, string> {
  return Object.fromEntries(Object.entries(TOOLS).map(([name, command]) => [name, versionOf(command)]));
}

/** The first line of what a tool says of itself. */
function versionOf(command: string): string {
  try {
    const said = execFileSync(command, ['--version'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return said.split('\n')[0]!.trim();
  } catch {
    return `no ${command}`;
  }
}
