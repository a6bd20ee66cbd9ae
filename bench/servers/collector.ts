/** A collector of OpenTelemetry that takes spans as OTLP over HTTP, and keeps none. */
import { createServer } from 'node:http';
import { serve, type Listening } from './child.ts';

let bytes = 0;

serve(
  async (): Promise<Listening> => {
    const server = createServer((request, response) => {
      request.on('data', (piece: Buffer) => (bytes += piece.length));
      request.on('end', () => response.setHeader('content-type', 'application/json').end('{}'));
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    return { port: (server.address() as { port: number }).port };
  },
  { bytes: () => bytes },
);
