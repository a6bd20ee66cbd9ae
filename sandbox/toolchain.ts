/** Builds WebAssembly modules from Rust, and checks that committed modules are what their sources make. */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The script says so by EX_TEMPFAIL. */
const EXIT_NO_REGISTRY = 75;

const TOOLS = { rustc: '/usr/bin/rustc', cargo: '/usr/bin/cargo', linker: 'wasm-ld-22' };

/** Modules that one script builds. */
export interface Build {
  names: readonly string[];
  /** A script that builds them into the folder it is given, as `name.wasm`. */
  scriptUrl: URL;
  /** The file that keeps their hashes. */
  hashesUrl: URL;
  keep(name: string, bytes: Buffer): void;
}

/** The content of a hashes.json. */
interface Hashes {
  /** Versions, by tool. */
  toolchain: Record<string, string>;
  /** SHA-256 of each module before any compression, by name. */
  modules: Record<string, string>;
}

/**
 * Runs a build command. Without an option it compares, with `--write` it keeps what it builds. Another compiler makes
 * other bytes, so without the compiler that made the modules, it compares nothing and says so.
 */
export function runBuild(build: Build): void {
  const [option] = process.argv.slice(2);
  if (option === undefined) return compare(build);
  if (option === '--write') return write(build);
  console.error(`There is no ${option}; there is --write.`);
  process.exitCode = 1;
}

function write(build: Build): void {
  const modules = buildModules(build);
  if (modules === 'no registry') throw new Error('the crates could not be fetched');
  for (const [name, bytes] of modules) build.keep(name, bytes);
  const hashes: Hashes = { toolchain: readToolchain(), modules: hashesOf(modules) };
  writeFileSync(build.hashesUrl, `${JSON.stringify(hashes, null, 2)}\n`);
  console.log(`built: ${build.names.join(', ')}`);
}

function compare(build: Build): void {
  const { toolchain, modules } = readHashes(build.hashesUrl);
  const [wanted, found] = [toolchain, readToolchain()].map((tools) => Object.values(tools).join(', '));
  if (wanted !== found) {
    console.log(`skipped: ${build.names.join(', ')} were built with ${wanted}; this machine has ${found}`);
    return;
  }
  const fresh = buildModules(build);
  if (fresh === 'no registry') {
    console.log(`skipped: ${build.names.join(', ')} need crates that could not be fetched`);
    return;
  }
  const built = hashesOf(fresh);
  const changed = build.names.filter((name) => built[name] !== modules[name]);
  if (changed.length === 0) console.log(`what their sources make: ${build.names.join(', ')}`);
  else console.error(`not what their sources make: ${changed.join(', ')}; --write keeps what was built`);
  process.exitCode = changed.length === 0 ? 0 : 1;
}

function buildModules({ names, scriptUrl }: Build): Map<string, Buffer> | 'no registry' {
  console.log(`building ${names.join(', ')}; without a cache this takes some minutes`);
  const folder = mkdtempSync(join(tmpdir(), 'modules-'));
  try {
    const { status, error } = spawnSync(fileURLToPath(scriptUrl), [folder], { stdio: 'inherit' });
    if (status === EXIT_NO_REGISTRY) return 'no registry';
    if (status !== 0) throw error ?? new Error(`${fileURLToPath(scriptUrl)} failed with ${status}`);
    return new Map(names.map((name) => [name, readFileSync(join(folder, `${name}.wasm`))]));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

export function readHashes(url: URL): Hashes {
  return JSON.parse(readFileSync(url, 'utf8')) as Hashes;
}

export function sha256Hex(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function hashesOf(modules: Map<string, Buffer>): Record<string, string> {
  return Object.fromEntries([...modules].map(([name, bytes]) => [name, sha256Hex(bytes)]));
}

function readToolchain(): Record<string, string> {
  return Object.fromEntries(Object.entries(TOOLS).map(([name, command]) => [name, versionOf(command)]));
}

/** Returns the first line that a tool prints about itself. */
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
