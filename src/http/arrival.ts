import type { IncomingMessage } from 'node:http';
import { addressOf } from './address.ts';
import type { ArrivingBody, Bodies } from './bodies.ts';
import { headerRefusal } from './body.ts';
import type { Contract, Operation } from './contract.ts';
import { pathOf, shownPath } from './path.ts';
import { REQUEST_ID_HEADER, requestIdOf } from './requestId.ts';

/** The parts of a request that are read when it arrives, before its turn. */
export interface Arrived {
  readonly requestId: string;
  /** As logs and answers show it. */
  readonly path: string;
  /** Undefined if there is no such route. */
  readonly operation: Operation | undefined;
  readonly body: ArrivingBody | undefined;
  readonly address: string;
}

/** Finds the operation of a request and begins to receive its body. The rest of the request is dropped. */
export function readArrival(request: IncomingMessage, contract: Contract, bodies: Bodies): Arrived {
  const requestId = requestIdOf(request.headers[REQUEST_ID_HEADER]);
  const sentPath = pathOf(request.url);
  const operation = contract.operationAt(request.method ?? '', sentPath);
  const path = operation?.path ?? copyOf(shownPath(sentPath));
  forgetMost(request, operation?.method === 'get' ? request.url : path);
  const hasBody = operation?.method === 'post' && headerRefusal(request.headers) === undefined;
  const body = hasBody ? bodies.receive(request) : undefined;
  return { requestId, path, operation, body, address: addressOf(request.socket) };
}

/** Returns a copy: a slice of a string keeps the whole string in memory. */
function copyOf(text: string): string {
  return Buffer.from(text).toString();
}

/** Drops what nobody reads: a request may wait for a long time, and its URL and headers take much memory. */
function forgetMost(request: IncomingMessage, url: string | undefined): void {
  const { headers } = request;
  request.url = url;
  request.headers = {
    'content-type': headers['content-type'],
    'content-encoding': headers['content-encoding'],
    'content-length': headers['content-length'],
  };
  request.rawHeaders = [];
}
