import { gunzipSync } from 'node:zlib';
import { Pool, type Dispatcher } from 'undici';
import type { NodeLimits } from '../limits.ts';
import { NoAnswerInTime, WrongStatus } from './fault.ts';

/** The purpose of a call. Each has its own connections: settling must not queue behind verifying. */
export type Purpose = 'verifying' | 'settling';

/** Carries requests to a node. */
export type Connection = Pick<Dispatcher, 'dispatch' | 'destroy'>;
export type Connect = (origin: string, options: Pool.Options) => Connection;

/** Posts JSON to one URL over kept-alive connections. */
export interface Transport {
  /** Returns the JSON of a 200. Throws for anything else. `headers` are sent beside those of every request. */
  post(purpose: Purpose, body: string, headers?: Readonly<Record<string, string>>): Promise<unknown>;
  close(): Promise<void>;
}

/** Makes the calls of one purpose. */
interface Line {
  readonly connection: Connection;
  calls: number;
}

const connectByHttp: Connect = (origin, options) => new Pool(origin, options);

export function createTransport(
  url: URL,
  limits: NodeLimits,
  answerTimeoutMs: number,
  connect: Connect = connectByHttp,
): Transport {
  const newLine = (): Line => ({
    connection: connect(url.origin, {
      connections: limits.maxConnections,
      connect: { timeout: limits.connectTimeoutMs },
      headersTimeout: answerTimeoutMs,
      bodyTimeout: answerTimeoutMs,
      maxResponseSize: limits.maxAnswerBytes,
    }),
    calls: 0,
  });
  const lines: Record<Purpose, Line> = { verifying: newLine(), settling: newLine() };
  const request = { method: 'POST', path: url.pathname + url.search, headers: headersFor(url) } as const;

  return {
    async post(purpose, body, headers) {
      const line = lines[purpose];
      if (line.calls >= limits.maxCallsAtOnce) throw new Error('too many calls are waiting');
      const sent =
        headers === undefined ? request : { ...request, headers: { ...request.headers, ...headers } };
      const { bytes, encoding } = await exchange(line, { ...sent, body }, answerTimeoutMs);
      // Some proxies compress answers though nobody asked them to.
      const isPacked = encoding === 'gzip';
      const text = isPacked ? gunzipSync(bytes, { maxOutputLength: limits.maxAnswerBytes }) : bytes;
      return JSON.parse(text.toString('utf8')) as unknown;
    },
    async close() {
      await Promise.all(Object.values(lines).map(({ connection }) => connection.destroy()));
    },
  };
}

function headersFor({ username, password }: URL): Record<string, string> {
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json',
    'accept-encoding': 'identity',
  };
  if (!username && !password) return headers;
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { ...headers, authorization: `Basic ${Buffer.from(credentials).toString('base64')}` };
}

/** Makes one request. Uses undici's lowest level, since its request() costs half as much again. */
async function exchange(line: Line, request: Dispatcher.DispatchOptions, timeoutMs: number) {
  const { promise, resolve, reject } = Promise.withResolvers<{ bytes: Buffer; encoding: unknown }>();
  const chunks: Buffer[] = [];
  let statusCode = 0;
  let encoding: unknown;
  let started: { abort(reason: Error): void } | undefined;
  let late: Error | undefined;
  const timer = setTimeout(() => {
    late = new NoAnswerInTime();
    started?.abort(late);
    reject(late);
  }, timeoutMs);
  // The call counts until the connection is done with it, perhaps after its caller has given up.
  line.calls += 1;
  try {
    line.connection.dispatch(request, {
      onRequestStart(controller) {
        started = controller;
        // It had to wait for a connection, and its caller has given up.
        if (late !== undefined) controller.abort(late);
      },
      onResponseStart(_controller, status, { 'content-encoding': coding }) {
        statusCode = status;
        encoding = coding;
      },
      onResponseData: (_controller, chunk) => void chunks.push(chunk),
      onResponseEnd() {
        line.calls -= 1;
        if (statusCode === 200) resolve({ bytes: Buffer.concat(chunks), encoding });
        else reject(new WrongStatus(statusCode));
      },
      onResponseError(_controller, error) {
        line.calls -= 1;
        reject(error);
      },
    });
    return await promise;
  } finally {
    clearTimeout(timer);
  }
}
