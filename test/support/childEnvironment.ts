import { fileURLToPath } from 'node:url';

/** The environment of a process that a test starts. Its modules are compiled once for all such processes. */
export const childEnvironment = {
  PATH: process.env['PATH'] ?? '',
  NODE_COMPILE_CACHE: fileURLToPath(new URL('../../build/compile-cache', import.meta.url)),
};
