/** Requests as they go over the wire, well-formed or not, and what comes back. */
import { Agent, request as openRequest, type IncomingHttpHeaders } from 'node:http';

export interface FuzzRequest {
  readonly method: string;
  /** With the query, percent-encoded (or wrongly so) as it goes out. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer;
}

export interface Answer {
  readonly status: number;
  /** By lower-case name, as node gives them; with a name for each header line that came. */
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly ms: number;
}

/** An answer that does not end within this time is no answer. Here a settlement takes a second; others, milliseconds. */
const ANSWER_LIMIT_MS = 15_000;
const ANSWER_LIMIT_BYTES = 32 * 1024 * 1024;

/** Fails when the connection breaks or the answer does not end in time. */
export type Exchange = (request: FuzzRequest) => Promise<Answer>;

export function createExchange(url: string): Exchange & Disposable {
  const agent = new Agent({ keepAlive: true });
  const { hostname, port } = new URL(url);
  const exchange = ({ method, target, headers, body }: FuzzRequest): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const startedAt = performance.now();
      const signal = AbortSignal.timeout(ANSWER_LIMIT_MS);
      const length = body && { 'content-length': String(body.length) };
      const request = openRequest(
        { agent, hostname, port, method, path: target, headers: { ...length, ...headers }, signal },
        (response) => {
          const chunks: Buffer[] = [];
          let bytes = 0;
          response.on('data', (chunk: Buffer) => {
            chunks.push(chunk);
            bytes += chunk.length;
            if (bytes > ANSWER_LIMIT_BYTES) response.destroy(new Error('the answer does not end'));
          });
          response.on('error', reject);
          response.on('end', () =>
            resolve({
              status: response.statusCode!,
              headers: response.headers,
              body: Buffer.concat(chunks),
              ms: performance.now() - startedAt,
            }),
          );
        },
      );
      request.on('error', reject);
      request.end(body);
    });
  return Object.assign(exchange, { [Symbol.dispose]: () => agent.destroy() });
}

export const jsonRequest = (path: string, value: unknown): FuzzRequest => ({
  method: 'POST',
  target: path,
  headers: { 'content-type': 'application/json' },
  body: Buffer.from(JSON.stringify(value)),
});

export function getRequest(path: string, query: Iterable<readonly [string, string]> = []): FuzzRequest {
  const search = new URLSearchParams([...query].map(([name, value]) => [name, value])).toString();
  return { method: 'GET', target: search === '' ? path : `${path}?${search}`, headers: {} };
}
