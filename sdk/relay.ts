import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** Stands between a client and the service, and keeps what was sent to settle. */
export interface Relay extends AsyncDisposable {
  readonly url: string;
  /** The latest body of settle, as JSON. */
  settled(): unknown;
}

export async function openRelay(serviceUrl: string): Promise<Relay> {
  let settled: unknown;
  const server = createServer((request, response) => {
    void (async () => {
      const body = await buffer(request);
      const { method = 'GET', url = '/', headers } = request;
      if (url === '/settle') settled = JSON.parse(body.toString());
      const { 'content-type': contentType = '', authorization = '' } = headers;
      const answer = await fetch(new URL(url, serviceUrl), {
        method,
        headers: { authorization, ...(method === 'POST' && { 'content-type': contentType }) },
        ...(method === 'POST' && { body }),
      });
      response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text());
    })().catch((error: unknown) => response.writeHead(502).end(String(error)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    settled: () => settled,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
