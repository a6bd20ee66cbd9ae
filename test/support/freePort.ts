import { createServer } from 'node:net';

/** Below the ports that systems give to outgoing connections, and to programs that listen on port 0. */
const FIRST = 20_000;
/** Each process of the tests has ports of its own: nobody takes one whose owner listens there again later. */
const PER_PROCESS = 1_000;
const PROCESSES = 12;
const first = FIRST + (Number(process.env['VITEST_POOL_ID'] ?? 0) % PROCESSES) * PER_PROCESS;
let taken = 0;

/** Returns a free port of loopback. While nobody listens there, no other connection gets it. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = first + (taken++ % PER_PROCESS);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
