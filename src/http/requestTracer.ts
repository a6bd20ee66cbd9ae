import type { Outcome } from './accessLog.ts';

/** A caller's span, of which a request is a part. */
export interface CallerSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly isSampled: boolean;
}

export interface TracedRequest {
  readonly requestId: string;
  readonly method: string;
  /** As the log shows it. */
  readonly path: string;
  /** The path by the contract; undefined if there is no such route. */
  readonly route: string | undefined;
  readonly callerSpan: CallerSpan | undefined;
}

/** Shows how long requests take. What a request does meanwhile becomes a part of it. */
export interface RequestTracer {
  /** Reads the header `traceparent`; undefined if there is none, or if it is malformed. */
  callerSpan(traceparent: string | string[] | undefined): CallerSpan | undefined;
  request(request: TracedRequest, answer: () => Promise<Outcome>): Promise<unknown>;
}

/** Shows nothing. */
export const UNTRACED_REQUESTS: RequestTracer = {
  callerSpan: () => undefined,
  request: (_request, answer) => answer(),
};
