import { isPayment, type OperationId } from '../contract/index.ts';
import type { Operation } from './contract.ts';

type Headers = Readonly<Record<string, string>>;

/** Decides which web pages may read answers. Each function takes the origin of the page; undefined if none asks. */
export interface Cors {
  /** Returns the headers of an answer of an operation. */
  answer(operationId: OperationId, origin: string | undefined): Headers | undefined;
  /** Returns the headers of the answer to a browser that asks before a request; undefined if the page may not send it. */
  preflight(operation: Operation, origin: string | undefined): Headers | undefined;
}

/** A browser may remember a preflight this long. Chromium remembers none longer. */
const MAX_AGE_SECONDS = 7_200;
const REQUEST_HEADERS = 'authorization, content-type, x-request-id, idempotency-key, traceparent, tracestate';
const EXPOSED_HEADERS =
  'x-request-id, retry-after, ratelimit, ratelimit-policy, www-authenticate, extension-responses';

/** Lets every page read an answer: what is public. */
export const READABLE_BY_ALL: Headers = allowing('*');

/** Lets every page read what is public, and only pages of `paymentOrigins` verify and settle. */
export function createCors(paymentOrigins: readonly string[]): Cors {
  function allowedOrigin(operationId: OperationId, origin: string | undefined): string | undefined {
    if (!isPayment(operationId)) return '*';
    return origin !== undefined && paymentOrigins.includes(origin) ? origin : undefined;
  }

  function answer(operationId: OperationId, origin: string | undefined): Headers | undefined {
    const allowed = allowedOrigin(operationId, origin);
    const vary = isPayment(operationId) && paymentOrigins.length > 0 && { vary: 'origin' };
    if (allowed === undefined) return vary || undefined;
    return { ...vary, ...allowing(allowed) };
  }

  return {
    answer,
    preflight({ operationId, method }, origin) {
      if (origin === undefined || allowedOrigin(operationId, origin) === undefined) return undefined;
      return {
        ...answer(operationId, origin),
        'access-control-allow-methods': method === 'get' ? 'GET, HEAD' : method.toUpperCase(),
        'access-control-allow-headers': REQUEST_HEADERS,
        'access-control-max-age': String(MAX_AGE_SECONDS),
      };
    },
  };
}

function allowing(origin: string): Headers {
  return { 'access-control-allow-origin': origin, 'access-control-expose-headers': EXPOSED_HEADERS };
}
