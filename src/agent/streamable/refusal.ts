import type { ServerResponse } from 'node:http';

/** Says why a request does not reach a session. */
export interface HttpRefusal {
  readonly status: number;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The JSON-RPC code that the SDK gives to refusals by HTTP, too. */
const REFUSED = -32_000;

export function answerRefusal(
  response: ServerResponse,
  { status, message, headers = {} }: HttpRefusal,
): void {
  const body = JSON.stringify({ jsonrpc: '2.0', error: { code: REFUSED, message }, id: null });
  // The rest of the request is not read.
  response.writeHead(status, { 'content-type': 'application/json', connection: 'close', ...headers });
  response.end(body);
}
