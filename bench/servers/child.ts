/** What a measured server process is told, and what it tells back, over the IPC channel of `fork`. */
export interface ServerSetup {
  rpcUrl: string;
  /** Where the testnet's Horizon is answered, for servers that ask it. */
  sandboxHttpsUrl: string;
  certificate: string;
  submitterSecrets: string[];
}

export type Listening = { port: number };
export type CpuReport = { cpuMicros: number };

/** Runs in the server's process: starts on the first message, reports its CPU time on every later one. */
export function serveFor(start: (setup: ServerSetup) => Promise<number>): void {
  process.once('disconnect', () => process.exit());
  process.once('message', (setup: ServerSetup) => {
    void start(setup).then((port) => {
      process.send?.({ port } satisfies Listening);
      process.on('message', () => {
        const { user, system } = process.cpuUsage();
        process.send?.({ cpuMicros: user + system } satisfies CpuReport);
      });
    });
  });
}
