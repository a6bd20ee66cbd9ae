import { defineConfig } from 'vite';

/** Builds the console into the files that the operator's port serves. */
export default defineConfig({
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  logLevel: 'warn',
  build: {
    outDir: '../dist/console',
    emptyOutDir: true,
    // Browsers since 2024: they know light-dark() of CSS.
    target: ['chrome123', 'firefox120', 'safari17.5'],
    modulePreload: { polyfill: false },
    rolldownOptions: {
      checks: { pluginTimings: false },
      output: { entryFileNames: 'console.js', assetFileNames: 'console[extname]', codeSplitting: false },
    },
  },
});
