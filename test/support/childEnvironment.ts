import { fileURLToPath } from 'node:url';

/**
 * The environment of a process that a test starts. Its modules are compiled once for all such processes, and none of them
 * needs an operator's port.
 */
export const childEnvironment = {
  PATH: process.env['PATH'] ?? '',
  OPERATOR_PORT: 'off',
  NODE_COMPILE_CACHE: fileURLToPath(new URL('../../build/compile-cache', import.meta.url)),
};
