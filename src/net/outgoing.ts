import { Agent, fetch as undiciFetch, type RequestInit, type Response } from 'undici';
import { checkHost, lookupWithin, type Reach } from './reach.ts';

export type { Response };

/** `fetch` for URLs that strangers name: no redirects, no address out of reach, limited headers. Throws what fetch throws. */
export type OutgoingFetch = (url: URL, init: RequestInit & { reach: Reach }) => Promise<Response>;

export interface Outgoing {
  fetch: OutgoingFetch;
  close(): Promise<void>;
}

export interface OutgoingOptions {
  readonly userAgent: string;
  /** Concurrent connections to one origin. */
  readonly maxConnections: number;
  readonly connectTimeoutMs: number;
  readonly maxHeaderBytes: number;
  /** Each pause of an answer may last this long. Callers limit the whole request by a signal. */
  readonly silenceTimeoutMs: number;
}

export function createOutgoing(options: OutgoingOptions): Outgoing {
  const agents: Record<Reach, Agent> = {
    any: agentWithin('any', options),
    public: agentWithin('public', options),
  };
  return {
    async fetch(url, { reach, ...init }) {
      checkHost(url.hostname, reach);
      const headers = new Headers(init.headers);
      headers.set('user-agent', options.userAgent);
      return undiciFetch(url, { ...init, headers, redirect: 'manual', dispatcher: agents[reach] });
    },
    async close() {
      await Promise.all(Object.values(agents).map((agent) => agent.destroy()));
    },
  };
}

/**
 * Keeps no connections open: a payment sent over a connection that the target has just closed would have an unknown
 * outcome.
 */
function agentWithin(reach: Reach, options: OutgoingOptions): Agent {
  return new Agent({
    pipelining: 0,
    connections: options.maxConnections,
    connect: { timeout: options.connectTimeoutMs, lookup: lookupWithin(reach) },
    maxHeaderSize: options.maxHeaderBytes,
    headersTimeout: options.silenceTimeoutMs,
    bodyTimeout: options.silenceTimeoutMs,
  });
}
