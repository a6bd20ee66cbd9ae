import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Log } from '../../log/log.ts';
import { countedAddress, unmappedAddress } from '../../net/countedAddress.ts';
import { createCountedConnections } from '../../net/countedConnections.ts';
import { isLoopback } from '../../net/loopback.ts';
import { hostnameOf, type HttpConfig } from '../httpConfig.ts';
import type { ToolServer } from '../server.ts';
import { createAccess } from './access.ts';
import { createDeliveries, lingering } from './delivery.ts';
import { STREAMABLE_LIMITS, type StreamableLimits } from './limits.ts';
import { createRequests, PATH } from './requests.ts';
import { createSessionlessRequests } from './sessionless.ts';
import { createSessions } from './sessions.ts';

export interface ListenDeps {
  tools: ToolServer;
  http: HttpConfig;
  /** What hosts must show; undefined if they need not. */
  token: string | undefined;
  log: Log;
  limits?: StreamableLimits;
}

/** The tools over streamable HTTP. */
export interface Listening {
  readonly url: string;
  /** Opens no more sessions, and closes the tools and their streams as stdio does. */
  close(): Promise<void>;
}

/** Fails if the address cannot be listened on. */
export async function listen({
  tools,
  http,
  token,
  log,
  limits = STREAMABLE_LIMITS,
}: ListenDeps): Promise<Listening> {
  const now = (): number => performance.now();
  const deliveries = createDeliveries(limits);
  const sessions = createSessions({ tools, deliveries, limits, log, now });
  const access = createAccess(http, token);
  const sessionless = createSessionlessRequests({ tools, deliveries, limits });
  const handle = createRequests({ access, deliveries, sessions, sessionless, limits, log });
  const server = createServer(
    {
      maxHeaderSize: limits.maxHeadersBytes,
      headersTimeout: limits.headersTimeoutMs,
      requestTimeout: limits.requestTimeoutMs,
      connectionsCheckingInterval: limits.timeoutCheckMs,
      requireHostHeader: false,
    },
    (request, response) => void handle(request, response),
  );
  server.maxHeadersCount = limits.maxHeaders;
  server.maxConnections = limits.maxConnections;
  server.timeout = limits.silentMs;
  server.on('connection', limitedByAddress(limits.maxConnectionsOfAddress));
  server.on('connection', lingering(limits));
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject);
  server.listen({ host: http.host, port: http.port }, resolve);
  await promise;
  server.off('error', reject);
  server.on('error', (err) => log.error({ err }, 'server error'));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${hostnameOf(http.host)}:${port}${PATH}`,
    async close() {
      sessions.close();
      sessionless.close();
      const closed = closedOf(server);
      await tools.close();
      const sweep = setInterval(() => server.closeIdleConnections(), limits.closeSweepMs);
      const giveUp = setTimeout(() => server.closeAllConnections(), limits.closeWithinMs);
      await closed;
      clearInterval(sweep);
      clearTimeout(giveUp);
    },
  };
}

/** Stops listening. Resolves once all connections are closed. */
function closedOf(server: Server): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  server.close(() => resolve());
  return promise;
}

/** Returns a function that closes a connection at once if its address, on another machine, has as many as it may. */
function limitedByAddress(max: number): (socket: Socket) => void {
  const connections = createCountedConnections();
  return (socket) => {
    const address = unmappedAddress(socket.remoteAddress ?? '');
    if (address === '::1' || isLoopback(address)) return;
    if (!connections.count(socket, countedAddress(address), max)) socket.destroy();
  };
}
