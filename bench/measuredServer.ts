import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Pool } from 'undici';
import type { CpuReport, Listening, ServerSetup } from './servers/child.ts';

/** A server in a process of its own, so that its CPU time is its own. */
export interface MeasuredServer {
  name: string;
  post(path: string, body: string): Promise<Record<string, unknown>>;
  cpuMicros(): Promise<number>;
  close(): Promise<void>;
}

export async function startServer(name: string, module: string, setup: ServerSetup): Promise<MeasuredServer> {
  const child = fork(new URL(module, import.meta.url));
  const ask = async <Answer>(message: object): Promise<Answer> => {
    const answered = once(child, 'message');
    child.send(message);
    return ((await answered) as [Answer])[0];
  };
  const { port } = await ask<Listening>(setup);
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: 64 });
  return {
    name,
    async post(path, body) {
      const headers = { 'content-type': 'application/json' };
      const answer = await pool.request({ method: 'POST', path, headers, body });
      return (await answer.body.json()) as Record<string, unknown>;
    },
    cpuMicros: async () => (await ask<CpuReport>({})).cpuMicros,
    async close() {
      await pool.close();
      child.kill();
      await once(child, 'exit');
    },
  };
}
