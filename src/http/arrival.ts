import type { IncomingMessage } from 'node:http';
import { boundedText } from '../contract/index.ts';
import type { CountedConnections } from '../net/countedConnections.ts';
import type { Admission, Sender } from './admission.ts';
import type { ArrivingBody, Bodies } from './bodies.ts';
import { headerRefusal } from './body.ts';
import type { ClientAddresses } from './clientAddresses.ts';
import type { Contract, Operation } from './contract.ts';
import type { Cors } from './cors.ts';
import { IDEMPOTENCY_KEY_KEPT_CHARS, RETRY_AFTER_SECONDS } from './limits.ts';
import { pathOf, shownPath } from './path.ts';
import { refuse, type HttpRefusal } from './refusal.ts';
import type { CallerSpan, RequestTracer } from './requestTracer.ts';
import { REQUEST_ID_HEADER, requestIdOf } from './requestId.ts';

/** The parts of a request that are read when it arrives, before its turn. */
export interface Arrived {
  readonly requestId: string;
  /** As logs and answers show it. */
  readonly path: string;
  /** Undefined if there is no such route. */
  readonly operation: Operation | undefined;
  /** Undefined if the request has none, or if nobody reads it. */
  readonly body: ArrivingBody | undefined;
  /** Who sent it, or why it is refused. */
  readonly sender: Sender | HttpRefusal;
  /** Its answer counts for this name: that of its sender, or its address if the sender is refused. */
  readonly name: string;
  /** True if its connection counts for its sender's key, and not for its address. */
  readonly countsForKey: boolean;
  /**
   * Headers of the answer, which let the web page that asks read it. If there is no such route, the request is a
   * browser's question whether the page may send another one, and the answer is yes.
   */
  readonly cors: Readonly<Record<string, string>> | undefined;
  /** True if it asks for HTML rather than JSON. */
  readonly prefersPage: boolean;
  /** See Caller. No longer than what shows that it is malformed. */
  readonly idempotencyKey: string | undefined;
  /** The span of the sender that asks; undefined if it names none. */
  readonly callerSpan: CallerSpan | undefined;
}

export interface ArrivalDeps {
  contract: Contract;
  bodies: Bodies;
  admission: Admission;
  clients: ClientAddresses;
  cors: Cors;
  keyConnections: CountedConnections;
  tracer: Pick<RequestTracer, 'callerSpan'>;
}

/** Finds the operation and the sender of a request, and begins to receive its body. Drops the rest of the request. */
export function readArrival(request: IncomingMessage, deps: ArrivalDeps): Arrived {
  const { contract, bodies, tracer } = deps;
  const requestId = requestIdOf(request.headers[REQUEST_ID_HEADER]);
  const sentPath = pathOf(request.url);
  const operation = contract.operationAt(request.method ?? '', sentPath);
  const path = operation?.path ?? boundedText(shownPath(sentPath));
  const { sender, address, countsForKey } = senderOf(request, operation, deps);
  const known = {
    requestId,
    path,
    operation,
    countsForKey,
    cors: corsOf(request, sentPath, operation, deps),
    prefersPage: prefersPage(request.headers.accept),
    idempotencyKey: idempotencyKeyOf(request, operation),
    callerSpan: tracer.callerSpan(request.headers['traceparent']),
  };
  forgetMost(request, operation?.method === 'get' ? request.url : path);
  if ('code' in sender) return { ...known, body: undefined, sender, name: address };
  const hasBody = operation?.method === 'post' && headerRefusal(request.headers) === undefined;
  const body = hasBody ? bodies.receive(request, sender.name) : undefined;
  return { ...known, body, sender, name: sender.name };
}

function corsOf(
  { method, headers }: IncomingMessage,
  path: string,
  operation: Operation | undefined,
  { contract, cors }: ArrivalDeps,
): Arrived['cors'] {
  const { origin, 'access-control-request-method': methodToBe = '' } = headers;
  if (operation !== undefined) return cors.answer(operation.operationId, origin);
  const toBe = method === 'OPTIONS' ? contract.operationAt(methodToBe, path) : undefined;
  return toBe && cors.preflight(toBe, origin);
}

/** Browsers name HTML when they open a page. Programs name JSON, anything or nothing. */
function prefersPage(accept = ''): boolean {
  return /\btext\/html\b/i.test(accept) && !/\bapplication\/json\b/i.test(accept);
}

function idempotencyKeyOf(
  { headers }: IncomingMessage,
  operation: Operation | undefined,
): string | undefined {
  const sent = headers['idempotency-key'] as string | undefined;
  if (sent === undefined || operation?.operationId !== 'settlePayment') return undefined;
  return boundedText(sent, IDEMPOTENCY_KEY_KEPT_CHARS);
}

interface Identified extends Pick<Arrived, 'sender' | 'countsForKey'> {
  readonly address: string;
}

/** Finds out who sends a request. Refuses it if its key has too many connections. */
function senderOf(
  { socket, headers }: IncomingMessage,
  operation: Operation | undefined,
  { admission, clients, keyConnections }: ArrivalDeps,
): Identified {
  const { remoteAddress = '' } = socket;
  const address = clients.addressOf(remoteAddress, headers['x-forwarded-for'] as string | undefined);
  const byAddress = { sender: { name: address, keyId: undefined }, address, countsForKey: false };
  if (operation === undefined) return byAddress;
  const sender = admission.identify(operation.operationId, headers, address);
  const keyId = 'code' in sender ? undefined : sender.keyId;
  const maxConnections = keyId === undefined ? undefined : admission.maxConnectionsOf(keyId);
  // A proxy's connections carry the requests of many.
  if (keyId === undefined || maxConnections === undefined || clients.isProxy(remoteAddress))
    return { sender, address, countsForKey: false };
  if (keyConnections.count(socket, keyId, maxConnections)) return { sender, address, countsForKey: true };
  return { sender: tooManyConnections(maxConnections), address, countsForKey: false };
}

function tooManyConnections(maxConnections: number): HttpRefusal {
  const message = `Your key may have ${maxConnections} connections at a time; use one of those that are open.`;
  const headers = { connection: 'close', 'retry-after': String(RETRY_AFTER_SECONDS) };
  return { ...refuse(429, 'svc_rate_limited', message), headers };
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
