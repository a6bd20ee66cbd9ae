import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { BUILT_URL, HASHES_URL, readModule, TOKENS, WALLETS } from '../../sandbox/contracts/built.ts';
import { readHashes, sha256Hex } from '../../sandbox/toolchain.ts';

const NAMES = [...WALLETS, ...TOKENS];
/** "\\0asm", version 1. */
const WASM_START = Buffer.from([0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00]);
const MAX_BYTES = 16_384;

test('every built contract has the hash that was noted when it was built, and no other is kept', () => {
  const hashes = Object.fromEntries(NAMES.map((name) => [name, sha256Hex(readModule(name))]));
  expect(readHashes(HASHES_URL).modules).toEqual(hashes);
  const files = NAMES.map((name) => `${name}.wasm`);
  expect(readdirSync(BUILT_URL).sort()).toEqual([...files, 'hashes.json'].sort());
});

test.for(NAMES)('%s is a WebAssembly module of a few kilobytes', (name) => {
  const module = readModule(name);
  expect(module.subarray(0, WASM_START.length)).toEqual(WASM_START);
  expect(module.length).toBeLessThan(MAX_BYTES);
});
