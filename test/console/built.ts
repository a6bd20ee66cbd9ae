/** Builds the console before the tests, if its sources are newer. */
import { globSync, statSync } from 'node:fs';
import { build } from 'vite';

const BUILT = 'dist/console/index.html';

export default async function setup(): Promise<void> {
  const changedAtMs = Math.max(...globSync('console/**').map((file) => statSync(file).mtimeMs));
  const builtAtMs = statSync(BUILT, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (builtAtMs < changedAtMs) await build({ root: 'console', configFile: 'console/vite.config.ts' });
}
