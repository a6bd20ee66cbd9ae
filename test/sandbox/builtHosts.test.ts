import { readFileSync } from 'node:fs';
import { zstdDecompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { PROTOCOLS } from '../../sandbox/host/instance.ts';
import { readHashes, sha256Hex } from '../../sandbox/toolchain.ts';

const read = (name: string) => readFileSync(new URL(`../../sandbox/${name}`, import.meta.url));
const hashes = readHashes(new URL('../../sandbox/host/hashes.json', import.meta.url));

test.each(PROTOCOLS)(
  'the host of protocol %i has the hash that was recorded when it was built',
  (protocol) => {
    const module = zstdDecompressSync(read(`host/soroban-${protocol}.wasm.zst`));
    expect(sha256Hex(module)).toBe(hashes.modules[`soroban-${protocol}`]);
  },
);

test('every build has the same versions of the host and of what it uses', () => {
  const lock = read('wasm-host/Cargo.lock').toString();
  for (const version of ['29.0.2', '30.0.0']) {
    for (const crate of ['soroban-env-host', 'soroban-simulation']) {
      expect(lock).toContain(`name = "${crate}"\nversion = "${version}"`);
    }
  }
});
