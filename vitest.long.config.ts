import { defineConfig } from 'vitest/config';
import { bundledThreads } from './test/support/bundledThreads.ts';
import { settings } from './vitest.config.ts';

/** Runs the tests that take minutes, and in full those of which `npm test` runs a sample. */
export default defineConfig({
  plugins: [bundledThreads],
  test: {
    ...settings,
    // Load is measured here, so nothing else runs meanwhile.
    fileParallelism: false,
    include: [
      'test/**/*.long.test.ts',
      'test/faults/{chance,severalNodes}.test.ts',
      'test/fuzz/**/*.test.ts',
      'test/scheme/settle.callers.test.ts',
      'test/agent/faults.test.ts',
      'test/catalog/{hostileDeclarations,list,ranking,walk}.test.ts',
      'test/catalog/{cursor,listing,newListings,partialResults,parts,search}.test.ts',
      'test/catalog/sqlite/index.test.ts',
    ],
    env: { TEST_LONG: '1' },
  },
});
