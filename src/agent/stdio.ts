import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import type { Log } from '../log/log.ts';
import type { ToolServer } from './server.ts';
import { namesRevision } from './sessionless/claim.ts';

export interface StdioDeps {
  tools: ToolServer;
  /** To the host. */
  wire: Transport;
  log: Log;
}

/** Serves one host, by the revision that its first message speaks. Resolves when the connection is closed. */
export async function serveHost({ tools, wire, log }: StdioDeps): Promise<void> {
  const { first, transport, closed } = await readAhead(wire, log);
  first.then(serve).catch((error: unknown) => {
    log.error({ err: error }, 'the host cannot be served');
    // Otherwise it would wait for an answer, and what it sends would be kept.
    return transport.close();
  });
  return closed;

  async function serve(message: JSONRPCMessage): Promise<void> {
    const session = tools.openSession();
    if (namesRevision(message)) (await tools.sessionless()).serveStdio(transport, session);
    else await session.connect(transport);
  }
}

interface Ahead {
  readonly first: Promise<JSONRPCMessage>;
  /** Hands over what has come so far when it starts, and then what comes. */
  readonly transport: Transport;
  readonly closed: Promise<void>;
}

async function readAhead(wire: Transport, log: Log): Promise<Ahead> {
  const early: JSONRPCMessage[] = [];
  const { promise: first, resolve: begin } = Promise.withResolvers<JSONRPCMessage>();
  const { promise: closed, resolve: end } = Promise.withResolvers<void>();
  const transport: Transport = {
    start() {
      wire.onmessage = (message) => transport.onmessage?.(message);
      wire.onerror = (error) => transport.onerror?.(error);
      for (const message of early.splice(0)) transport.onmessage?.(message);
      return Promise.resolve();
    },
    send: (message, options) => wire.send(message, options),
    close: () => wire.close(),
  };
  wire.onmessage = (message) => {
    early.push(message);
    begin(message);
  };
  wire.onerror = (error) => log.warn({ err: error }, 'the protocol was broken');
  wire.onclose = () => {
    transport.onclose?.();
    end();
  };
  await wire.start();
  return { first, transport, closed };
}
