import { defineConfig } from 'vitest/config';
import { settings } from './vitest.config.ts';

/** The payment tests, with the public network instead of the testnet. */
export default defineConfig({
  test: {
    ...settings,
    include: ['scheme', 'interop', 'faults', 'rehearse'].map((folder) => `test/${folder}/**/*.test.ts`),
    env: { SANDBOX_NETWORK: 'pubnet' },
  },
});
