// The built contracts and their sources.
//
//   npm run contracts              builds them again and compares
//   npm run contracts -- --write   builds them again and keeps them with their hashes
import { writeFileSync } from 'node:fs';
import { runBuild } from '../toolchain.ts';
import { BUILT_URL, HASHES_URL, TOKENS, WALLETS } from './built.ts';

runBuild({
  names: [...WALLETS, ...TOKENS],
  scriptUrl: new URL('build.sh', import.meta.url),
  hashesUrl: HASHES_URL,
  keep: (name, bytes) => writeFileSync(new URL(`${name}.wasm`, BUILT_URL), bytes),
});
