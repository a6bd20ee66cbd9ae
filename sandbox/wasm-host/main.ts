// The built hosts and their source.
//
//   npm run wasm-host              builds them anew, and compares: are they what their source makes?
//   npm run wasm-host -- --write   builds them anew, and keeps them, compressed, with their hashes
//
// Another compiler makes other bytes: without the one that made them nothing can be said, and that is said.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { constants, zstdCompressSync } from 'node:zlib';
import { PROTOCOLS } from '../host/instance.ts';
import { otherToolchain, readToolchain, runBuild } from '../toolchain.ts';
import type { Hashes } from '../toolchain.ts';

const HOST_URL = new URL('../host/', import.meta.url);
const HASHES_URL = new URL('hashes.json', HOST_URL);
const NAMES = PROTOCOLS.map((protocol) => `soroban-${protocol}`);

/** The highest that is usual. */
const COMPRESSION_LEVEL = 19;

runBuild({ write, check });

function write(): void {
  const modules = build();
  const params = { [constants.ZSTD_c_compressionLevel]: COMPRESSION_LEVEL };
  for (const [name, bytes] of modules)
    writeFileSync(new URL(`${name}.wasm.zst`, HOST_URL), zstdCompressSync(bytes, { params }));
  const recipe = 'sandbox/wasm-host/build.sh';
  const hashes: Hashes = { recipe, toolchain: readToolchain(), modules: hashesOf(modules) };
  writeFileSync(HASHES_URL, `${JSON.stringify(hashes, null, 2)}\n`);
  console.log(`${NAMES.join(' and ')} are built`);
}

function check(): void {
  const hashes = JSON.parse(readFileSync(HASHES_URL, 'utf8')) as Hashes;
  const { modules } = hashes;
  const problem = otherToolchain(hashes);
  if (problem !== undefined) {
    console.log(`skipped the hosts: ${problem}`);
    return;
  }
  const built = hashesOf(build());
  const changed = NAMES.filter((name) => built[name] !== modules[name]);
  if (changed.length === 0) console.log(`${NAMES.join(' and ')} are what their source makes`);
  else console.error(`not what their source makes: ${changed.join(', ')}; run npm run wasm-host -- --write`);
  process.exitCode = changed.length === 0 ? 0 : 1;
}

function build(): Map<string, Buffer> {
  const folder = mkdtempSync(join(tmpdir(), 'wasm-host-'));
  try {
    execFileSync(fileURLToPath(new URL('build.sh', import.meta.url)), [folder], { stdio: 'inherit' });
    return new Map(NAMES.map((name) => [name, readFileSync(join(folder, `${name}.wasm`))]));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function hashesOf(modules: Map<string, Buffer>): Record<string, string> {
  const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
  return Object.fromEntries([...modules].map(([name, bytes]) => [name, sha256(bytes)]));
}
