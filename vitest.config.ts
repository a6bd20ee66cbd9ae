import { availableParallelism } from 'node:os';
import { configDefaults, defineConfig } from 'vitest/config';
import { codesReporter } from './codegen/codes/reporter.ts';

export default defineConfig({
  test: {
    environment: 'node',
    pool: 'forks',
    // Most tests wait more than they compute.
    maxWorkers: availableParallelism(),
    include: ['test/**/*.test.ts'],
    // These are for vitest.long.config.ts.
    exclude: [...configDefaults.exclude, '**/*.long.test.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // A slow machine is no failure.
    expect: { poll: { timeout: 20_000 } },
    // Names of tests are rules, and docs/codes.md shows some: none is cut short.
    taskTitleValueFormatTruncate: 0,
    reporters: ['default', codesReporter()],
  },
});
