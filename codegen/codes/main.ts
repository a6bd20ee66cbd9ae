/** Runs all tests and writes docs/codes.md from what they saw: `npm run codes`. */
import { startVitest } from 'vitest/node';
import { codesReporter } from './reporter.ts';

await startVitest('test', [], {
  watch: false,
  reporters: ['default', codesReporter({ write: true })],
});
