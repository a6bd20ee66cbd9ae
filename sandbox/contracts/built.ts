/** The built contracts: made by build.sh from the sources beside this file, and kept with their hashes. */
import { readFileSync } from 'node:fs';

/** Contract accounts, each with its own check of signatures. */
export const WALLETS = [
  'ed25519',
  'passkey',
  'two_of_three',
  'limited',
  'costly',
  'cheap',
  'bulky',
  'two_faced',
] as const;

/** Tokens that are not Stellar asset contracts. The first is honest. */
export const TOKENS = [
  'plain',
  'hollow',
  'fee',
  'double',
  'reentrant',
  'burner',
  'upgrading',
  'turning',
] as const;

export type ContractName = (typeof WALLETS)[number] | (typeof TOKENS)[number];

export const BUILT_URL = new URL('./built/', import.meta.url);

export const HASHES_URL = new URL('hashes.json', BUILT_URL);

/** Returns a contract's module, as build.sh left it. */
export function readModule(name: ContractName): Buffer {
  return readFileSync(new URL(`${name}.wasm`, BUILT_URL));
}
