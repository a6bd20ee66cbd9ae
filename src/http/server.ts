import { createServer as createHttpServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Log } from '../log/log.ts';
import { createConnections, ParsedRequest } from './connections.ts';
import type { App, Connections } from './connections.ts';
import { errorEnvelope } from './refusal.ts';
import { REQUEST_ID_HEADER, requestIdOf } from './requestId.ts';
import {
  BACKLOG,
  CLOSING_CONNECTIONS,
  CONNECTIONS_LIMIT,
  HEADERS_LIMIT_BYTES,
  HEADERS_TIMEOUT_MS,
  KEEP_ALIVE_TIMEOUT_MS,
  LINGER_MS,
  MAX_HEADERS,
  REQUEST_TIMEOUT_MS,
  SHUTDOWN_GRACE_MS,
  SHUTDOWN_SWEEP_MS,
  TIMEOUT_CHECK_INTERVAL_MS,
} from './limits.ts';

export interface HttpServer {
  /** Listens on all addresses or on `host`, and returns the port that was bound. Port 0 asks for any free one. */
  listen(port: number, host?: string): Promise<number>;
  /** Stops listening and waits for the requests in flight, at most SHUTDOWN_GRACE_MS. Drops the others. */
  close(): Promise<void>;
}

export interface Timeouts {
  headersMs: number;
  requestMs: number;
  checkIntervalMs: number;
  shutdownMs: number;
}

const TIMEOUTS: Timeouts = {
  headersMs: HEADERS_TIMEOUT_MS,
  requestMs: REQUEST_TIMEOUT_MS,
  checkIntervalMs: TIMEOUT_CHECK_INTERVAL_MS,
  shutdownMs: SHUTDOWN_GRACE_MS,
};

export function createServer(app: App, log: Log, timeouts = TIMEOUTS): HttpServer {
  const server = createHttpServer({
    IncomingMessage: ParsedRequest,
    // Answer a request without a Host header like any other. Node would answer it with an empty body.
    requireHostHeader: false,
    maxHeaderSize: HEADERS_LIMIT_BYTES,
    headersTimeout: timeouts.headersMs,
    requestTimeout: timeouts.requestMs,
    connectionsCheckingInterval: timeouts.checkIntervalMs,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
  });
  server.maxConnections = CONNECTIONS_LIMIT.inAll + CLOSING_CONNECTIONS;
  server.maxHeadersCount = MAX_HEADERS;
  const connections = createConnections(app);
  server.on('connection', connections.open);
  server.on('request', connections.arrive);
  // An expectation other than 100-continue is no reason to refuse a request (RFC 9110, 10.1.1: "MAY respond 417").
  server.on('checkExpectation', connections.arrive);
  answerBrokenRequests(server, connections, log);

  return {
    async listen(port, host) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      server.once('error', reject);
      server.listen({ port, host, backlog: BACKLOG }, resolve);
      await promise;
      server.off('error', reject);
      // From here on, an error is a connection that could not be accepted, which is no reason to end the process.
      server.on('error', (err) => log.error({ err }, 'server error'));
      return (server.address() as AddressInfo).port;
    },
    async close() {
      const { promise, resolve } = Promise.withResolvers<void>();
      server.close(() => resolve());
      connections.finish();
      const sweep = setInterval(() => server.closeIdleConnections(), SHUTDOWN_SWEEP_MS);
      const giveUp = setTimeout(() => server.closeAllConnections(), timeouts.shutdownMs);
      await promise;
      clearInterval(sweep);
      clearTimeout(giveUp);
    },
  };
}

const BROKEN_REQUESTS: Readonly<Record<string, readonly [status: string, reason: string]>> = {
  HPE_HEADER_OVERFLOW: [
    '431 Request Header Fields Too Large',
    `The request line and headers are larger than ${HEADERS_LIMIT_BYTES} bytes, or more than ${MAX_HEADERS} headers.`,
  ],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request took too long to arrive.'],
};
const NOT_HTTP = ['400 Bad Request', 'The request is not valid HTTP/1.1.'] as const;

/** Answers input that is not a complete HTTP request, and so never reaches the app. */
function answerBrokenRequests(server: Server, connections: Connections, log: Log): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    const answerable = socket.writable && connections.isFree(socket);
    const requestId = requestIdOf(undefined);
    log.warn({ requestId, error: error.code, answered: answerable }, 'broken request');
    if (!answerable) return void socket.destroy();
    const [status, reason] = BROKEN_REQUESTS[error.code ?? ''] ?? NOT_HTTP;
    const body = JSON.stringify(errorEnvelope('svc_malformed_request_body', reason));
    socket.end(
      `HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-type: application/json\r\n` +
        `${REQUEST_ID_HEADER}: ${requestId}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
    // Close later: closing at once, with bytes of the sender unread, would lose the answer on its way.
    setTimeout(() => socket.destroy(), LINGER_MS).unref();
  });
}
