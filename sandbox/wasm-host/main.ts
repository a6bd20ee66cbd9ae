// The built hosts and their source.
//
//   npm run wasm-host              builds them again and compares
//   npm run wasm-host -- --write   builds them again and keeps them, compressed, with their hashes
import { writeFileSync } from 'node:fs';
import { constants, zstdCompressSync } from 'node:zlib';
import { PROTOCOLS } from '../host/instance.ts';
import { runBuild } from '../toolchain.ts';

const HOST_URL = new URL('../host/', import.meta.url);
/** The highest usual level. */
const PARAMS = { [constants.ZSTD_c_compressionLevel]: 19 };

runBuild({
  names: PROTOCOLS.map((protocol) => `soroban-${protocol}`),
  scriptUrl: new URL('build.sh', import.meta.url),
  hashesUrl: new URL('hashes.json', HOST_URL),
  keep: (name, bytes) =>
    writeFileSync(new URL(`${name}.wasm.zst`, HOST_URL), zstdCompressSync(bytes, { params: PARAMS })),
});
