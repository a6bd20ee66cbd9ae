import { readFileSync } from 'node:fs';
import loadWabt from 'wabt';

const SOURCE = new URL('../src/catalog/meaning/scan.wat', import.meta.url);
export const KERNEL = new URL('../src/catalog/meaning/scan.wasm', import.meta.url);

/** Assembles the code that compares a query with many vectors. */
export async function assembleKernel(): Promise<Uint8Array> {
  const wabt = await loadWabt();
  const module = wabt.parseWat('scan.wat', readFileSync(SOURCE, 'utf8'), { simd: true, threads: true });
  try {
    return module.toBinary({}).buffer;
  } finally {
    module.destroy();
  }
}
