/**
 * An RPC that hardly costs anything: what was asked of it a moment ago it answers again with what the sandbox said then.
 * In front of it a server can be driven until it is itself at its limit, and not the sandbox.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { serve, type Listening } from './child.ts';

/** Short of the time between ledgers, so that what is known of them stays true. */
const RECORDED_FOR_MS = 1_000;

export interface RecordedRpcSetup {
  sandboxUrl: string;
}

serve(async ({ sandboxUrl }: RecordedRpcSetup): Promise<Listening> => {
  /** Results as JSON text, by what was asked. */
  const recorded = new Map<string, { result: Promise<string>; atMs: number }>();

  async function record(method: string, params: unknown): Promise<string> {
    const answer = await fetch(sandboxUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    const { result } = (await answer.json()) as { result?: unknown };
    if (result === undefined) throw new Error(`the sandbox did not answer ${method}`);
    return JSON.stringify(result);
  }

  function resultOf(method: string, params: unknown): Promise<string> {
    const question = `${method} ${JSON.stringify(params)}`;
    const known = recorded.get(question);
    const now = performance.now();
    if (known !== undefined && now - known.atMs < RECORDED_FOR_MS) return known.result;
    const result = record(method, params);
    recorded.set(question, { result, atMs: now });
    return result;
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>;
    const result = await resultOf(String(method), params);
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`);
  }

  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return { port: (server.address() as { port: number }).port };
});
