import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type Koa from 'koa';
import type { Log } from '../log/log.ts';
import { countedAddress } from '../net/countedAddress.ts';
import { createCountedConnections } from '../net/countedConnections.ts';
import type { OperatorLimits } from './limits.ts';

export interface OperatorServer {
  readonly port: number;
  close(): Promise<void>;
}

/** Listens on the operator's port. Fails if it cannot be bound. */
export async function listen(
  app: Koa,
  { host, port }: { host: string; port: number },
  { log, limits }: { log: Log; limits: OperatorLimits },
): Promise<OperatorServer> {
  const answer = app.callback();
  const server = createServer(
    {
      maxHeaderSize: limits.maxHeadersBytes,
      headersTimeout: limits.headersTimeoutMs,
      requestTimeout: limits.requestTimeoutMs,
      connectionsCheckingInterval: limits.timeoutCheckMs,
    },
    (request, response) => void answer(request, response),
  );
  server.maxConnections = limits.maxConnections;
  server.timeout = limits.silentMs;
  server.on('connection', limitedByAddress(limits.maxConnectionsPerAddress));
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject);
  server.listen({ host, port }, resolve);
  await promise;
  server.off('error', reject);
  server.on('error', (err) => log.error({ err }, 'server error on the operator’s port'));
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      const closed = Promise.withResolvers<void>();
      server.close(() => closed.resolve());
      const sweep = setInterval(() => server.closeIdleConnections(), limits.closeSweepMs);
      const giveUp = setTimeout(() => server.closeAllConnections(), limits.closeWithinMs);
      await closed.promise;
      clearInterval(sweep);
      clearTimeout(giveUp);
    },
  };
}

/** Returns a function that closes a connection at once if its address has as many as it may. */
function limitedByAddress(max: number): (socket: Socket) => void {
  const connections = createCountedConnections();
  return (socket) => {
    if (!connections.count(socket, countedAddress(socket.remoteAddress ?? ''), max)) socket.destroy();
  };
}
