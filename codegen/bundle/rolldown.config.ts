import { fileURLToPath } from 'node:url';
import { defineConfig } from 'rolldown';
import { writeInventory } from './inventory.ts';

/**
 * Bundles the commands with all that they import into `dist`. Loaded as hundreds of files, the same code takes twice
 * as long to start and 80 MiB more.
 */
export default defineConfig({
  cwd: fileURLToPath(new URL('../..', import.meta.url)),
  input: {
    'stellar-facilitator': 'src/cli/stellar-facilitator.ts',
    'stellar-facilitator-mcp': 'src/agent/main.ts',
    // The catalog's threads start with this file, which they look for beside their own.
    worker: 'src/catalog/worker.ts',
  },
  platform: 'node',
  logLevel: 'warn',
  // pg uses it if an operator has installed it.
  external: ['pg-native'],
  // depd, which Koa uses, evaluates a text of its own.
  checks: { eval: false, pluginTimings: false },
  plugins: [writeInventory()],
  // All files lie in one folder: PACKAGE_ROOT relies on that.
  output: { dir: 'dist', format: 'esm', entryFileNames: '[name].js', chunkFileNames: '[name].js' },
});
