import { globSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { configDefaults, defineConfig } from 'vitest/config';
import { codesReporter } from './codegen/codes/reporter.ts';
import { bundledThreads } from './test/support/bundledThreads.ts';

const include = ['test/**/*.test.ts'];
/** Files for vitest.long.config.ts. */
const long = 'test/**/*.long.test.ts';
/** Files that need processes of their own, since a mocked module is mocked for a whole process. */
const mocking = globSync(include, { cwd: import.meta.dirname, exclude: [long] }).filter((file) =>
  readFileSync(new URL(file, import.meta.url), 'utf8').includes('vi.mock('),
);

/** Packing and installing takes long: `npm run package:test` does that. */
const packaged = process.env['PACKAGE_INSTALL'] === undefined ? ['test/package/**'] : [];

// Tests start many processes and threads: with modules that are compiled already, that takes half as long.
process.env['NODE_COMPILE_CACHE'] ??= fileURLToPath(new URL('build/compile-cache', import.meta.url));

/** Settings of every run. */
export const settings = {
  environment: 'node',
  pool: 'forks',
  // Most tests wait more than they compute.
  maxWorkers: 3 * availableParallelism(),
  testTimeout: 30_000,
  hookTimeout: 60_000,
  globalSetup: ['built', 'sharedPostgres'].map((name) =>
    fileURLToPath(new URL(`test/support/${name}.ts`, import.meta.url)),
  ),
  // A slow machine is no failure.
  expect: { poll: { timeout: 20_000 } },
  // Names of tests are rules, and docs/codes.md shows some: none is cut short.
  taskTitleValueFormatTruncate: 0,
} as const;

export default defineConfig({
  plugins: [bundledThreads],
  test: {
    ...settings,
    reporters: ['default', codesReporter()],
    projects: [
      {
        extends: true,
        // Modules are loaded once for many files: each load takes a second.
        test: {
          name: 'shared',
          isolate: false,
          include,
          exclude: [...configDefaults.exclude, long, ...mocking, ...packaged],
        },
      },
      { extends: true, test: { name: 'mocking', include: mocking } },
    ],
  },
});
