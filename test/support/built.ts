/** Builds the commands and the console before the tests, if their sources are newer. Tests run what is shipped. */
import { execFileSync } from 'node:child_process';
import { globSync, statSync } from 'node:fs';

const BUILDS = [
  { script: 'console', built: 'dist/console/index.html', sources: ['console/**'] },
  {
    script: 'bundle',
    built: 'dist/stellar-facilitator.js',
    sources: ['src/**', 'codegen/bundle/**', 'package-lock.json'],
  },
];

export default function setup(): void {
  for (const { script, built, sources } of BUILDS) {
    const changedAtMs = Math.max(...globSync(sources).map((file) => statSync(file).mtimeMs));
    const builtAtMs = statSync(built, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (builtAtMs < changedAtMs)
      execFileSync('npm', ['run', script], { stdio: ['ignore', 'ignore', 'inherit'] });
  }
}
