import { statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { IN_MEMORY } from '../../store/sqliteFile.ts';
import { SECRET_VARIABLES } from '../../config/config.ts';
import type { ProcessEnvironment } from '../command.ts';
import { ok, warn, type Finding } from './finding.ts';

const MIN_FREE_BYTES = 1024 ** 3;
const READABLE_BY_OTHERS = 0o044;

/** Checks the disk of the catalog and the journal, and who can read key files. DB_PATH is known to be writable. */
export function checkFiles(dbPath: string, environment: ProcessEnvironment): Finding[] {
  return [ofData(dbPath), ...SECRET_VARIABLES.flatMap((name) => ofSecret(name, environment))];
}

function ofData(dbPath: string): Finding {
  if (dbPath === IN_MEMORY)
    return warn(
      'files',
      'DB_PATH is :memory:, so the catalog and the journal are lost when the process ends',
    );
  const { bavail, bsize } = statfsSync(dirname(dbPath));
  const free = `${Math.floor((bavail * bsize) / 1024 ** 2)} MiB are free on the disk of DB_PATH`;
  return bavail * bsize < MIN_FREE_BYTES ? warn('files', `${free}: make room`) : ok('files', free);
}

function ofSecret(name: string, environment: ProcessEnvironment): Finding[] {
  const path = environment[`${name}_FILE`]?.trim();
  if (!path) return [];
  const isOpen = (statSync(path).mode & READABLE_BY_OTHERS) !== 0;
  return [
    isOpen
      ? warn('files', `${name}_FILE can be read by other users of this machine: chmod 600`)
      : ok('files', `${name}_FILE can be read only by its owner`),
  ];
}
