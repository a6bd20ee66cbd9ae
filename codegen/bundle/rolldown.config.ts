import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig, type InputOptions, type OutputOptions, type Plugin } from 'rolldown';
import { createInventory } from './inventory.ts';

const cwd = fileURLToPath(new URL('../..', import.meta.url));
const inventory = createInventory();

const settings: InputOptions = {
  cwd,
  platform: 'node',
  logLevel: 'warn',
  // pg uses it if an operator has installed it.
  external: ['pg-native'],
  // depd, which Koa uses, evaluates a text of its own.
  checks: { eval: false, pluginTimings: false },
};
// All files lie in one folder: PACKAGE_ROOT relies on that, and threads look for their file beside their own.
const output: OutputOptions = { dir: 'dist', format: 'esm', entryFileNames: '[name].js' };

/**
 * Bundles the commands with all that they import into `dist`. Loaded as hundreds of files, the same code takes twice
 * as long to start and 80 MiB more. What people only try shares no file with the service, which would load more then.
 */
export default defineConfig([
  {
    ...settings,
    input: {
      'stellar-facilitator': 'src/cli/stellar-facilitator.ts',
      'stellar-facilitator-mcp': 'src/agent/main.ts',
      worker: 'src/catalog/worker.ts',
    },
    plugins: [inventory],
    output: { ...output, chunkFileNames: 'service-[name].js' },
  },
  {
    ...settings,
    input: { demo: 'demo/main.ts', sandbox: 'sandbox/main.ts' },
    plugins: [inventory, copySandboxModules()],
    output: { ...output, chunkFileNames: 'try-[name].js', minify: true },
  },
]);

/** Copies the sandbox's WebAssembly modules to where its code looks for them. */
function copySandboxModules(): Plugin {
  return {
    name: 'sandbox modules',
    generateBundle() {
      const copy = (pattern: string, folder: string): void => {
        for (const file of globSync(pattern, { cwd }))
          this.emitFile({ type: 'asset', fileName: folder + basename(file), source: readFileSync(file) });
      };
      copy('sandbox/host/*.zst', '');
      copy('sandbox/contracts/built/*', 'built/');
    },
  };
}
