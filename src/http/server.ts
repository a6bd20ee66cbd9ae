import { createServer as createHttpServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { errorBody } from '../handlers/errorBody.ts';
import type { Log } from '../log/log.ts';
import { DIRECT_CLIENTS, type ClientAddresses } from './clientAddresses.ts';
import { createConnections, type App, type Connections } from './connections.ts';
import { HTTP_LIMITS, type HttpLimits } from './limits.ts';
import { ParsedRequest } from './parsedRequest.ts';
import type { PlacesState } from './places.ts';
import { malformed } from './refusal.ts';
import { REQUEST_ID_HEADER, requestIdOf } from './requestId.ts';

export interface HttpServer {
  /** Listens on all addresses or on `host`, and returns the port that was bound. Port 0 asks for any free one. */
  listen(port: number, host?: string): Promise<number>;
  state(): HttpState;
  /** Stops listening and waits for the requests in flight, at most `shutdownGraceMs`. Drops the others. */
  close(): Promise<void>;
}

/** A cheap snapshot, from memory. */
export interface HttpState {
  /** The number of open connections, and how many there may be. */
  readonly connections: number;
  readonly maxConnections: number;
  /** The places of each operation that has a limit. */
  readonly places: readonly PlacesState[];
}

export interface HttpServerDeps {
  app: App;
  /** Takes nobody for a proxy if not given. */
  clients?: Pick<ClientAddresses, 'isProxy'> | undefined;
  log: Log;
  limits?: Partial<HttpLimits>;
}

export function createServer({ app, clients = DIRECT_CLIENTS, log, ...deps }: HttpServerDeps): HttpServer {
  const limits = { ...HTTP_LIMITS, ...deps.limits };
  const server = createHttpServer({
    IncomingMessage: ParsedRequest,
    // Answer a request without a Host header like any other. Node would answer it with an empty body.
    requireHostHeader: false,
    maxHeaderSize: limits.maxHeadersBytes,
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    connectionsCheckingInterval: limits.timeoutCheckIntervalMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
  });
  server.maxConnections = limits.maxConnections.inAll + limits.maxClosingConnections;
  server.maxHeadersCount = limits.maxHeaders;
  const connections = createConnections(app, clients.isProxy, limits);
  server.on('connection', connections.open);
  server.on('request', connections.arrive);
  // An expectation other than 100-continue is no reason to refuse a request (RFC 9110, 10.1.1: "MAY respond 417").
  server.on('checkExpectation', connections.arrive);
  answerBrokenRequests({ server, connections, log, limits });

  return {
    async listen(port, host) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      server.once('error', reject);
      server.listen({ port, host, backlog: limits.backlog }, resolve);
      await promise;
      server.off('error', reject);
      // From here on, an error is a connection that could not be accepted, which is no reason to end the process.
      server.on('error', (err) => log.error({ err }, 'server error'));
      return (server.address() as AddressInfo).port;
    },
    state: () => ({
      connections: connections.size,
      maxConnections: limits.maxConnections.inAll,
      places: app.places(),
    }),
    async close() {
      const { promise, resolve } = Promise.withResolvers<void>();
      server.close(() => resolve());
      connections.finish();
      const sweep = setInterval(() => server.closeIdleConnections(), limits.shutdownSweepMs);
      const giveUp = setTimeout(() => server.closeAllConnections(), limits.shutdownGraceMs);
      await promise;
      clearInterval(sweep);
      clearTimeout(giveUp);
    },
  };
}

interface BrokenRequestsDeps {
  server: Server;
  connections: Connections;
  log: Log;
  limits: HttpLimits;
}

/** Answers input that is not a complete HTTP request, and so never reaches the app. */
function answerBrokenRequests({ server, connections, log, limits }: BrokenRequestsDeps): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    const answerable = socket.writable && connections.isFree(socket);
    const requestId = requestIdOf(undefined);
    log.warn({ requestId, error: error.code, answered: answerable }, 'broken request');
    if (!answerable) return void socket.destroy();
    const [status, message] = brokenBy(error.code, limits);
    const body = JSON.stringify(errorBody(malformed(message)));
    socket.end(
      `HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-type: application/json\r\n` +
        `${REQUEST_ID_HEADER}: ${requestId}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
    // Close later: closing at once, with bytes of the sender unread, would lose the answer on its way.
    setTimeout(() => socket.destroy(), limits.lingerMs).unref();
  });
}

function brokenBy(
  code: string | undefined,
  { maxHeadersBytes, maxHeaders }: HttpLimits,
): [status: string, message: string] {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return ['408 Request Timeout', 'The request took too long to arrive.'];
  if (code !== 'HPE_HEADER_OVERFLOW') return ['400 Bad Request', 'The request is not valid HTTP/1.1.'];
  return [
    '431 Request Header Fields Too Large',
    `The request line and headers are larger than ${maxHeadersBytes} bytes, or there are more than ${maxHeaders} headers.`,
  ];
}
