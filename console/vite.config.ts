import { defineConfig } from 'vite';

/** Builds the console into the files that the operator's port serves. */
export default defineConfig({
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  logLevel: 'warn',
  build: {
    outDir: '../dist/console',
    emptyOutDir: true,
    // The styles use light-dark(), which browsers support since 2024.
    target: ['chrome123', 'firefox120', 'safari17.5'],
    modulePreload: { polyfill: false },
    rolldownOptions: {
      checks: { pluginTimings: false },
      output: { entryFileNames: 'console.js', assetFileNames: 'console[extname]', codeSplitting: false },
    },
  },
});
