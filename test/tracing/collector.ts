/** A collector of OpenTelemetry that takes spans as OTLP over HTTP with JSON. */
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { onTestFinished, vi } from 'vitest';

export interface CollectedSpan {
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId: string | undefined;
  /** 1 internal, 2 server, 3 client. */
  kind: number;
  attributes: Record<string, unknown>;
  /** 2 is a failure. */
  status: { code?: number; message?: string };
  resource: Record<string, unknown>;
}

export interface Collector {
  url: string;
  spans(): CollectedSpan[];
  /** Waits for a span that is so. */
  span(isWanted: (span: CollectedSpan) => boolean): Promise<CollectedSpan>;
  /** The headers and paths of all requests so far. */
  requests(): { path: string | undefined; headers: IncomingHttpHeaders }[];
}

type Pairs = { key: string; value: Record<string, unknown> }[];
interface Export {
  resourceSpans: {
    resource: { attributes: Pairs };
    scopeSpans: { spans: (Omit<CollectedSpan, 'attributes' | 'resource'> & { attributes: Pairs })[] }[];
  }[];
}

const WAIT_MS = 5_000;

/** Listens until the test ends. One that is `silent` takes requests and answers none. */
export async function startCollector({ silent = false } = {}): Promise<Collector> {
  const spans: CollectedSpan[] = [];
  const requests: { path: string | undefined; headers: IncomingHttpHeaders }[] = [];
  const server = createServer((request, response) => {
    requests.push({ path: request.url, headers: request.headers });
    if (silent) return;
    void json(request).then((body) => {
      spans.push(...spansIn(body as Export));
      response.setHeader('content-type', 'application/json').end('{}');
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans: () => [...spans],
    requests: () => [...requests],
    span: (isWanted) =>
      vi.waitFor(
        () => {
          const span = spans.find(isWanted);
          if (span !== undefined) return span;
          throw new Error(`not among the spans ${spans.map(({ name }) => name).join(', ')}`);
        },
        { timeout: WAIT_MS, interval: 10 },
      ),
  };
}

function spansIn({ resourceSpans }: Export): CollectedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap((scope) =>
      scope.spans.map((span) => ({
        ...span,
        parentSpanId: span.parentSpanId || undefined,
        attributes: valuesOf(span.attributes),
        resource: valuesOf(resource.attributes),
      })),
    ),
  );
}

function valuesOf(pairs: Pairs): Record<string, unknown> {
  return Object.fromEntries(pairs.map(({ key, value }) => [key, Object.values(value)[0]]));
}
