import { configDefaults, defineConfig } from 'vitest/config';
import config from './vitest.config.ts';

/** What takes minutes: tests that are only long, and those of which `npm test` tries a sample. */
export default defineConfig({
  test: {
    ...config.test,
    include: [
      'test/**/*.long.test.ts',
      'test/kill/killLoop.test.ts',
      'test/faults/chance.test.ts',
      'test/fuzz/**/*.test.ts',
      'test/catalog/resilience.{kill,making}.test.ts',
    ],
    exclude: configDefaults.exclude,
    env: { TEST_LONG: '1' },
    reporters: ['default'],
  },
});
