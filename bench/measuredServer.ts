import { Pool } from 'undici';
import { startChild } from './processes.ts';
import type { Listening, LoopDelay, Memory, ServerSetup } from './servers/child.ts';

/** Longer than the slower of the servers polls for a transaction. */
const ANSWER_TIMEOUT_MS = 330_000;
const SCRAPE_EVERY_MS = 15_000;

export type Answer = Record<string, unknown>;

/** A server in a process of its own, so that what it costs is its own. */
export interface MeasuredServer extends AsyncDisposable {
  name: string;
  port: number;
  /** Undefined if it has no operator's port. */
  operatorPort: number | undefined;
  pid: number;
  hasEnded(): boolean;
  post(path: '/verify' | '/settle', body: string): Promise<Answer>;
  cpuMs(): Promise<number>;
  /** After everything that could be collected was. */
  memory(): Promise<Memory>;
  /** Begins to watch the event loop, or begins again. */
  watchLoop(): Promise<void>;
  /** Since the watch began. */
  loopDelay(): Promise<LoopDelay>;
}

/** `connections`: how many requests can be under way by `post`. */
export async function startServer(
  { name, module }: { name: string; module: string },
  setup: ServerSetup,
  { connections, heapMib }: { connections: number; heapMib?: number },
): Promise<MeasuredServer> {
  const child = await startChild<Listening>(module, setup, { ...(heapMib !== undefined && { heapMib }) });
  const { port, operatorPort } = child.started;
  const timeouts = { headersTimeout: ANSWER_TIMEOUT_MS, bodyTimeout: ANSWER_TIMEOUT_MS };
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections, ...timeouts });
  const scrapes = setInterval(() => void scrape(operatorPort), SCRAPE_EVERY_MS).unref();
  return {
    name,
    port,
    operatorPort,
    pid: child.pid,
    hasEnded: child.hasEnded,
    async post(path, body) {
      const headers = { 'content-type': 'application/json' };
      const answer = await pool.request({ method: 'POST', path, headers, body });
      return (await answer.body.json()) as Answer;
    },
    cpuMs: async () => (await child.ask<number>('cpuMicros')) / 1000,
    memory: () => child.ask<Memory>('memory'),
    watchLoop: () => child.ask('watchLoop'),
    loopDelay: () => child.ask<LoopDelay>('loopDelay'),
    async [Symbol.asyncDispose]() {
      clearInterval(scrapes);
      await pool.destroy();
      await child[Symbol.asyncDispose]();
    },
  };
}

/** Asks as Prometheus does. The client is not in the measured process. */
async function scrape(operatorPort: number | undefined): Promise<void> {
  if (operatorPort === undefined) return;
  // A server that is being killed answers nobody.
  await fetch(`http://127.0.0.1:${operatorPort}/metrics`).then(
    (answer) => answer.text(),
    () => {},
  );
}
