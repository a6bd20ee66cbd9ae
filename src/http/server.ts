import { createServer as createHttpServer } from 'node:http';
import type { RequestListener, Server, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Log } from '../log.ts';
import { errorEnvelope } from './refusal.ts';
import { REQUEST_ID_HEADER, requestIdOf } from './requestId.ts';
import {
  HEADERS_LIMIT_BYTES,
  HEADERS_TIMEOUT_MS,
  KEEP_ALIVE_TIMEOUT_MS,
  LINGER_MS,
  MAX_CONNECTIONS,
  REQUEST_TIMEOUT_MS,
  SHUTDOWN_GRACE_MS,
  SHUTDOWN_SWEEP_MS,
  TIMEOUT_CHECK_INTERVAL_MS,
} from './limits.ts';

export interface HttpServer {
  /** Starts listening, on all addresses unless `host` is one, and returns the port that was bound; 0 asks for any free one. */
  listen(port: number, host?: string): Promise<number>;
  /** Stops listening and waits for the requests in flight, at most SHUTDOWN_GRACE_MS; others are not looked at. */
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

export function createServer(listener: RequestListener, log: Log, timeouts = TIMEOUTS): HttpServer {
  const server = createHttpServer({
    // A request without a Host header is answered like any other; Node would answer it with an empty body.
    requireHostHeader: false,
    maxHeaderSize: HEADERS_LIMIT_BYTES,
    headersTimeout: timeouts.headersMs,
    requestTimeout: timeouts.requestMs,
    connectionsCheckingInterval: timeouts.checkIntervalMs,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
  });
  server.maxConnections = MAX_CONNECTIONS;
  const { admit, admitNoMore } = createAdmission(listener);
  server.on('request', admit);
  // An expectation other than 100-continue is no reason to refuse a request (RFC 9110, 10.1.1: "MAY respond 417").
  server.on('checkExpectation', admit);
  answerBrokenRequests(server, log);

  return {
    async listen(port, host) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      server.once('error', reject);
      server.listen(port, host, resolve);
      await promise;
      server.off('error', reject);
      // From here on it is a connection that could not be accepted, which is no reason to end the process.
      server.on('error', (err) => log.error({ err }, 'server error'));
      return (server.address() as AddressInfo).port;
    },
    async close() {
      const { promise, resolve } = Promise.withResolvers<void>();
      server.close(() => resolve());
      admitNoMore();
      const sweep = setInterval(() => server.closeIdleConnections(), SHUTDOWN_SWEEP_MS);
      const giveUp = setTimeout(() => server.closeAllConnections(), timeouts.shutdownMs);
      await promise;
      clearInterval(sweep);
      clearTimeout(giveUp);
    },
  };
}

/** Lets requests in until the server closes; then the last answer on each connection ends it. */
function createAdmission(listener: RequestListener) {
  /** The latest request that came on a connection, while it is not answered. */
  const latest = new Map<Socket, ServerResponse>();
  let isClosing = false;
  const isLast = (response: ServerResponse): void => {
    if (!response.headersSent) response.setHeader('connection', 'close');
  };
  return {
    admit(...[request, response]: Parameters<RequestListener>): void {
      const { socket } = request;
      // The answer before it ends the connection, and says so: whoever sent it learns that it was not looked at.
      if (isClosing && latest.has(socket)) return;
      if (isClosing) isLast(response);
      latest.set(socket, response);
      response.once('close', () => {
        if (latest.get(socket) === response) latest.delete(socket);
      });
      listener(request, response);
    },
    admitNoMore(): void {
      isClosing = true;
      for (const response of latest.values()) isLast(response);
    },
  };
}

const BROKEN_REQUESTS: Readonly<Record<string, readonly [status: string, reason: string]>> = {
  HPE_HEADER_OVERFLOW: [
    '431 Request Header Fields Too Large',
    `The request line and headers are larger than ${HEADERS_LIMIT_BYTES} bytes.`,
  ],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request took too long to arrive.'],
};
const NOT_HTTP = ['400 Bad Request', 'The request is not valid HTTP/1.1.'] as const;

/** Answers what is no complete HTTP request, and so never reaches the app. */
function answerBrokenRequests(server: Server, log: Log): void {
  const latest = new WeakMap<Socket, ServerResponse>();
  server.on('request', ({ socket }, response) => latest.set(socket, response));

  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    const response = latest.get(socket);
    // Where the latest request came whole, this is another one, and an answer to it must not be taken for the answer
    // that the latest still awaits. Else this is the rest of the latest one, which may have been answered already.
    const isFree =
      response === undefined || (response.req.complete ? response.writableFinished : !response.headersSent);
    const answerable = socket.writable && isFree;
    const requestId = requestIdOf(undefined);
    log.warn({ requestId, error: error.code, answered: answerable }, 'broken request');
    if (!answerable) return void socket.destroy();
    const [status, reason] = BROKEN_REQUESTS[error.code ?? ''] ?? NOT_HTTP;
    const body = JSON.stringify(errorEnvelope('svc_malformed_request_body', reason));
    socket.end(
      `HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-type: application/json\r\n` +
        `${REQUEST_ID_HEADER}: ${requestId}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
    // Closing at once, with bytes of the sender unread, would lose the answer on its way.
    setTimeout(() => socket.destroy(), LINGER_MS).unref();
  });
}
