/** The check of an operator: a server that answers as a test wants, and remembers what it was asked. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

export interface Question {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

export interface OperatorCheck {
  url: string;
  asked: Question[];
  /** Counts the connections that were opened. */
  connections(): number;
}

export async function openOperatorCheck(
  answer: (response: ServerResponse, question: Question) => unknown,
): Promise<OperatorCheck> {
  const asked: Question[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const question = { method: request.method!, path: request.url!, headers: request.headers, body };
      asked.push(question);
      return answer(response, question);
    });
  });
  server.on('connection', (socket) => sockets.add(socket)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/check?of=us`, asked, connections: () => sockets.size };
}
