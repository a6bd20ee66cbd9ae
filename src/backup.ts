// Copies the catalog into one file while the service runs: npm run backup -- <file>
import { existsSync, renameSync, rmSync } from 'node:fs';
import { backup, DatabaseSync } from 'node:sqlite';
import { IN_MEMORY } from './catalog/index.ts';
import { DEFAULT_DB_PATH } from './config.ts';
import { readEnvironment } from './environment.ts';

const EXIT_FAILED = 1;
/** sysexits' EX_USAGE and EX_CONFIG. */
const EXIT_USAGE = 64;
const EXIT_CONFIG = 78;

/** All pages in one step: whatever is written between two steps would start the copy anew. */
const PAGES_PER_STEP = 0x7fff_ffff;
