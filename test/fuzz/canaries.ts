/** Ways in which a server breaks the contract, each of which the fuzzer has to find. */
import type { Answer, Exchange, FuzzRequest } from './contract/exchange.ts';

export interface Canary {
  readonly name: string;
  /** What the broken server takes the request for. */
  readonly mishear?: (request: FuzzRequest) => FuzzRequest;
  /** What it makes of its answer. */
  readonly garble?: (answer: Answer, request: FuzzRequest) => Answer;
}

/** The server as it would be with this defect. */
export function broken(exchange: Exchange, { mishear, garble }: Canary): Exchange {
  return async (request) => {
    const answer = await exchange(mishear ? mishear(request) : request);
    return garble ? garble(answer, request) : answer;
  };
}

export const CANARIES: readonly Canary[] = [
  { name: 'a field more in a verdict', garble: onBody('/verify', (body) => ({ ...body, debug: 1 })) },
  {
    name: 'a field more in a listing',
    garble: onBody('/discovery/search', ({ resources, ...body }) => ({
      ...body,
      resources: resources?.map((listing: object) => ({ ...listing, score: 1.5 })),
    })),
  },
  {
    name: 'a field less on a page',
    garble: onBody('/discovery/search', ({ partialResults: _, ...body }) => body),
  },
  {
    name: 'a total that is one too high',
    garble: onBody('/discovery/resources', ({ pagination, ...body }) => ({
      ...body,
      pagination: pagination && { ...pagination, total: pagination.total + 1 },
    })),
  },
  { name: 'a status of its own', garble: onStatus(200, 'GET', 201) },
  { name: 'another status for what cannot be read', garble: onStatus(400, 'POST', 422) },
  { name: 'no request id', garble: onHeaders(({ 'x-request-id': _, ...headers }) => headers) },
  {
    name: 'a new request id each time',
    garble: onHeaders((headers) => ({ ...headers, 'x-request-id': 'mine' })),
  },
  { name: 'a header more', garble: onHeaders((headers) => ({ ...headers, 'x-powered-by': 'Koa' })) },
  {
    name: 'another content type',
    garble: onHeaders((headers) => ({ ...headers, 'content-type': 'text/html' })),
  },
  {
    name: 'an outcome of the listing that is not in base64',
    garble: onHeaders((headers) =>
      headers['extension-responses'] === undefined
        ? headers
        : { ...headers, 'extension-responses': '{"bazaar":{"status":"success"}}' },
    ),
  },
  {
    name: 'a reason that is null',
    garble: onBody('', ({ error, ...body }) => ({
      ...body,
      ...(error && { error: { ...error, reason: null } }),
    })),
  },
  {
    name: 'the code of another refusal',
    garble: onBody('/discovery/search', (body) =>
      body.error?.code === 'svc_missing_search_query'
        ? { error: { ...body.error, code: 'svc_invalid_query_parameter' } }
        : body,
    ),
  },
  { name: 'a repeated parameter that is read', mishear: onQuery((query) => [...new Map(query)]) },
  {
    name: 'a filter that is not heeded',
    mishear: onQuery((query) => query.filter(([name]) => name !== 'scheme')),
  },
  {
    name: 'a cursor that is not heeded',
    mishear: onQuery((query) => query.filter(([name]) => name !== 'cursor')),
  },
  {
    name: 'a failure over a text in another script',
    garble: (answer, { target }) => (target.includes('%F0%9F') ? failure(answer) : answer),
  },
  {
    name: 'a failure over a body that is no object',
    garble: (answer, { body }) => (body?.toString() === 'null' ? failure(answer) : answer),
  },
  {
    name: 'HEAD as if it were GET',
    mishear: (request) => ({ ...request, method: request.method.replace('HEAD', 'GET') }),
  },
  {
    name: 'a refused payment that is called valid',
    garble: onBody('/verify', ({ payer }) => ({ isValid: true, payer })),
  },
  {
    name: 'the payer of somebody else',
    garble: onBody('/verify', (body) => ({
      ...body,
      ...(body.payer && { payer: body.payer.toLowerCase() }),
    })),
  },
  {
    name: 'the hash of another transaction',
    garble: onBody('/settle', (body) => ({ ...body, transaction: body.success ? 'ab'.repeat(32) : '' })),
  },
];

type Garble = NonNullable<Canary['garble']>;

function onBody(path: string, change: (body: any) => object): Garble {
  return (answer, { target }) => {
    if (!target.startsWith(path) || answer.body.length === 0) return answer;
    return { ...answer, body: Buffer.from(JSON.stringify(change(JSON.parse(answer.body.toString())))) };
  };
}

function onStatus(from: number, method: string, to: number): Garble {
  return (answer, request) =>
    answer.status === from && request.method === method ? { ...answer, status: to } : answer;
}

function onHeaders(change: (headers: Answer['headers']) => Answer['headers']): Garble {
  return (answer) => ({ ...answer, headers: change(answer.headers) });
}

function onQuery(change: (query: [string, string][]) => [string, string][]): NonNullable<Canary['mishear']> {
  return (request) => {
    const [path = '', query = ''] = request.target.split('?');
    return {
      ...request,
      target: `${path}?${new URLSearchParams(change([...new URLSearchParams(query)])).toString()}`,
    };
  };
}

const failure = (answer: Answer): Answer => ({
  ...answer,
  status: 500,
  body: Buffer.from('{"error":{"code":"svc_internal_error","reason":"The service failed."}}'),
});
