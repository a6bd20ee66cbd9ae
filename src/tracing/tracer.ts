import { AsyncLocalStorage } from 'node:async_hooks';
import {
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Attributes,
  type Context,
  type Span,
  type Tracer,
} from '@opentelemetry/api';
import type { CallerSpan, RequestTracer, TracedRequest } from '../http/requestTracer.ts';
import type { Log } from '../log/log.ts';
import type { SchemeTracer } from '../stellar/tracer.ts';
import { readTraceparent } from './traceparent.ts';

/** The methods that a span may be named after (RFC 9110, RFC 5789): a client can send any other. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'CONNECT', 'OPTIONS', 'TRACE', 'PATCH']);

export interface ServiceTracer extends RequestTracer, SchemeTracer {
  /** Returns the log with the trace's id in all that is logged for a request. */
  traced(log: Log): Log;
}

/** Makes spans for requests and their parts. `shown` hides secrets in a text. */
export function createServiceTracer(tracer: Tracer, shown: (text: string) => string): ServiceTracer {
  /** Carries the span under way across awaits. */
  const underWay = new AsyncLocalStorage<Span>();

  /** Does work as a span, which ends with it. */
  async function run<Result>(span: Span, work: () => Promise<Result>): Promise<Result> {
    try {
      return await underWay.run(span, work);
    } catch (fault) {
      fail(span, fault);
      throw fault;
    } finally {
      span.end();
    }
  }

  function fail(span: Span, fault: unknown): void {
    const { name, message } = fault instanceof Error ? fault : { name: typeof fault, message: '' };
    span.setAttribute('error.type', name);
    span.setStatus({ code: SpanStatusCode.ERROR, message: shown(message) });
  }

  /** Does work as a child of the span under way. Without one, nobody asked for the work, and it gets no span. */
  function part<Result>(
    name: string,
    options: { kind: SpanKind; attributes?: Attributes },
    work: () => Promise<Result>,
  ): Promise<Result> {
    const parent = underWay.getStore();
    if (parent === undefined) return work();
    return run(tracer.startSpan(name, options, trace.setSpan(ROOT_CONTEXT, parent)), work);
  }

  return {
    callerSpan: readTraceparent,
    request(request, answer) {
      const options = { kind: SpanKind.SERVER, attributes: attributesOf(request) };
      const { route, callerSpan } = request;
      const method = methodOf(request);
      const name = route === undefined ? method : `${method} ${route}`;
      const span = tracer.startSpan(name, options, contextOf(callerSpan));
      return run(span, async () => {
        const { status, ...outcome } = await answer();
        span.setAttributes({ 'http.response.status_code': status, ...named(outcome) });
        if (status >= 500) {
          span.setAttribute('error.type', String(status));
          span.setStatus({ code: SpanStatusCode.ERROR });
        }
      });
    },
    phase: (name, work) => part(name, { kind: SpanKind.INTERNAL }, work),
    call(method, node, call) {
      const attributes = { 'rpc.system.name': 'jsonrpc', 'rpc.method': method, ...addressOf(node) };
      return part(method, { kind: SpanKind.CLIENT, attributes }, call);
    },
    note: (facts) => void underWay.getStore()?.setAttributes(named(facts)),
    bind: () => AsyncLocalStorage.snapshot(),
    traced: (log) => tracedLog(log, () => underWay.getStore()),
  };
}

function attributesOf({ requestId, method, path, route }: TracedRequest): Attributes {
  return {
    'http.request.method': METHODS.has(method) ? method : '_OTHER',
    ...(route !== undefined && { 'http.route': route }),
    'url.scheme': 'http',
    'url.path': path,
    'x402.request_id': requestId,
  };
}

const methodOf = ({ method }: TracedRequest): string => (METHODS.has(method) ? method : 'HTTP');

function contextOf(caller: CallerSpan | undefined): Context {
  if (caller === undefined) return ROOT_CONTEXT;
  const { traceId, spanId, isSampled } = caller;
  const traceFlags = isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE;
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
}

function addressOf(origin: string): Attributes {
  const { hostname, port, protocol } = new URL(origin);
  return {
    'server.address': hostname,
    'server.port': port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port),
  };
}

/** Names our own facts, for which there is no convention. */
function named(facts: Readonly<Record<string, string | number | undefined>>): Attributes {
  return Object.fromEntries(Object.entries(facts).map(([name, value]) => [`x402.${name}`, value]));
}

function tracedLog(log: Log, spanUnderWay: () => Span | undefined): Log {
  const at =
    (level: keyof Log) =>
    (fields: object, message?: string): void => {
      const traceId = spanUnderWay()?.spanContext().traceId;
      log[level](traceId === undefined ? fields : { ...fields, traceId }, message);
    };
  return { info: at('info'), warn: at('warn'), error: at('error') };
}
