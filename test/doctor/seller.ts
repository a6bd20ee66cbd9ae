/** A seller whose 402 says whatever a test wants. */
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface PlayedAnswer {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

/** Serves the answer for each request, and returns its URL. `answer` learns that URL and the method. */
export async function playSeller(
  answer: (url: string, method: string) => PlayedAnswer | Promise<PlayedAnswer>,
): Promise<string> {
  const serve = async (method: string, response: ServerResponse): Promise<void> => {
    const { status = 402, headers = {}, body = '' } = await answer(url, method);
    response.writeHead(status, headers).end(body);
  };
  const server = createServer(
    { maxHeaderSize: 256 * 1024 },
    ({ method = '' }, response) => void serve(method, response),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/weather`;
  onTestFinished(() => void server.close());
  return url;
}

/** The header of a 402 with this content. */
export const requiredHeader = (content: unknown): Record<string, string> => ({
  'payment-required': Buffer.from(JSON.stringify(content)).toString('base64'),
});
