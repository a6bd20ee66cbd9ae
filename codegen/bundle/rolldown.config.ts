import { chmodSync, globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig, type InputOptions, type OutputOptions, type Plugin } from 'rolldown';
import ts from 'typescript';
import { createInventory } from './inventory.ts';

const cwd = fileURLToPath(new URL('../..', import.meta.url));
const inventory = createInventory();
/** The package's own interface to programs. */
const LIBRARY = 'src/inProcess/index.ts';

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
      index: LIBRARY,
      worker: 'src/catalog/worker.ts',
    },
    plugins: [
      inventory,
      escapeToAscii(),
      emitTypes(LIBRARY, 'index.d.ts'),
      copyFiles({ 'src/catalog/meaning/*.{zst,wasm}': '', 'src/config/policyFile/policy.schema.json': '' }),
      makeExecutable('stellar-facilitator.js', 'stellar-facilitator-mcp.js'),
    ],
    output: {
      ...output,
      chunkFileNames: 'service-[name].js',
      comments: false,
      // Loaded only if tracing is on, which a test knows by this name.
      codeSplitting: { groups: [{ name: 'opentelemetry', test: /node_modules.@opentelemetry.(?!api)/ }] },
    },
  },
  {
    ...settings,
    input: { demo: 'demo/main.ts', sandbox: 'sandbox/main.ts' },
    plugins: [inventory, copyFiles({ 'sandbox/host/*.zst': '', 'sandbox/contracts/built/*': 'built/' })],
    output: { ...output, chunkFileNames: 'try-[name].js', minify: true },
  },
]);

/**
 * Writes characters beyond ASCII as escapes, which mean the same in strings, templates and regular expressions. A
 * `String.raw` keeps the escape: only the script of the public page has such text, in strings of its own. V8 keeps the
 * text of a file, with two bytes for each character unless all of it is ASCII.
 */
function escapeToAscii(): Plugin {
  const escaped = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return {
    name: 'escape to ASCII',
    generateBundle(_options, bundle) {
      for (const file of Object.values(bundle))
        if (file.type === 'chunk') file.code = file.code.replaceAll(/[^\0-\x7f]/g, escaped);
    },
  };
}

/** npx makes a clone's commands executable only the first time: a later build must not take that away. */
function makeExecutable(...files: readonly string[]): Plugin {
  return {
    name: 'make executable',
    writeBundle({ dir }) {
      for (const file of files) chmodSync(join(cwd, dir!, file), 0o755);
    },
  };
}

/** Writes the types that a file exports. It must import none of them. */
function emitTypes(source: string, fileName: string): Plugin {
  return {
    name: 'emit types',
    generateBundle() {
      const { outputText, diagnostics = [] } = ts.transpileDeclaration(
        readFileSync(join(cwd, source), 'utf8'),
        { fileName: source, compilerOptions: { strict: true }, reportDiagnostics: true },
      );
      if (diagnostics.length > 0)
        throw new Error(diagnostics.map(({ messageText }) => JSON.stringify(messageText)).join('\n'));
      this.emitFile({ type: 'asset', fileName, source: outputText });
    },
  };
}

/** Copies files that are no code to where the code looks for them: those of each pattern into a folder of `dist`. */
function copyFiles(folders: Readonly<Record<string, string>>): Plugin {
  return {
    name: 'copy files',
    generateBundle() {
      for (const [pattern, folder] of Object.entries(folders))
        for (const file of globSync(pattern, { cwd }))
          this.emitFile({ type: 'asset', fileName: folder + basename(file), source: readFileSync(file) });
    },
  };
}
