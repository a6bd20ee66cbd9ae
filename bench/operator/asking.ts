import { Pool } from 'undici';

export interface Answer {
  status: number;
  text: string;
  /** From the request to the last byte. */
  ms: number;
}

/** Asks a port over one connection, one question at a time. */
export interface Asker extends AsyncDisposable {
  ask(path: string): Promise<Answer>;
}

export function openAsker(port: number): Asker {
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: 1 });
  return {
    async ask(path) {
      const askedAtMs = performance.now();
      const { statusCode: status, body } = await pool.request({ method: 'GET', path });
      const text = await body.text();
      return { status, text, ms: performance.now() - askedAtMs };
    },
    [Symbol.asyncDispose]: () => pool.destroy(),
  };
}
