/** Keys of callers in either store, made by the command. */
import { join } from 'node:path';
import { expect } from 'vitest';
import { temporaryFolder } from '../catalog/temporaryFolder.ts';
import { binaries } from '../postgres/server.ts';
import { postgres } from '../postgres/shared.ts';
import { runInside } from '../support/cli.ts';
import type { FacilitatorOptions } from '../support/service.ts';

export interface StoreOfKeys {
  /** For the command. */
  readonly environment: Readonly<Record<string, string>>;
  /** For the service. */
  readonly options: Pick<FacilitatorOptions, 'dbPath' | 'databaseUrl'>;
}

export function storeInFile(): StoreOfKeys {
  const dbPath = join(temporaryFolder(), 'catalog.db');
  return { environment: { DB_PATH: dbPath }, options: { dbPath } };
}

async function storeInDatabase(): Promise<StoreOfKeys> {
  const databaseUrl = await postgres.database();
  const dbPath = join(temporaryFolder(), 'catalog.db');
  return { environment: { DATABASE_URL: databaseUrl, DB_PATH: dbPath }, options: { databaseUrl, dbPath } };
}

if (binaries === undefined) console.log('skipped: keys in PostgreSQL, as this machine has none');

/** Each store that this machine has. */
export const STORES: [name: string, open: () => StoreOfKeys | Promise<StoreOfKeys>][] = [
  ['a file', storeInFile],
  ...(binaries === undefined ? [] : [['PostgreSQL', storeInDatabase] as [string, typeof storeInDatabase]]),
];

export interface MadeKey {
  readonly id: string;
  /** The whole key. */
  readonly text: string;
}

export const runKeys = ({ environment }: StoreOfKeys, ...args: string[]) =>
  runInside(['keys', ...args], environment);

export async function makeKey(store: StoreOfKeys, ...args: string[]): Promise<MadeKey> {
  const { code, stdout, stderr } = await runKeys(store, 'create', '--name', 'acme', ...args);
  expect({ code, stderr }).toMatchObject({ code: 0 });
  return madeKey(stdout);
}

export function madeKey(stdout: string): MadeKey {
  const [, text = '', id = ''] = /^(sf_([0-9a-f]{12})_[\w-]{43})\n$/.exec(stdout) ?? [];
  expect(text).not.toBe('');
  return { id, text };
}

export interface ListedKey {
  id: string;
  name: string;
  limits: Record<string, number | null>;
  createdAt: string;
  revokedAt: string | null;
}

export async function listedKeys(store: StoreOfKeys): Promise<ListedKey[]> {
  const { stdout } = await runKeys(store, 'list', '--json');
  return JSON.parse(stdout) as ListedKey[];
}

export const bearer = (key: string): Record<string, string> => ({ authorization: `Bearer ${key}` });
