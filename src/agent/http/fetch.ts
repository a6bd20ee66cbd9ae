import { Agent, fetch as undiciFetch, type RequestInit, type Response } from 'undici';
import { TARGET_LIMITS, type AgentLimits } from '../limits.ts';
import { SELF } from '../version.ts';
import { quoted } from '../words.ts';
import { checkHost, ForbiddenAddress, lookupWithin, type Reach } from './addresses.ts';

export type { Response };

/** `fetch` for targets: no redirects, no address out of reach, limited headers. Throws what fetch throws. */
export type TargetFetch = (url: URL, init: RequestInit & { reach: Reach }) => Promise<Response>;

export interface TargetHttp {
  fetch: TargetFetch;
  close(): Promise<void>;
}

export function createTargetHttp(limits: AgentLimits): TargetHttp {
  const agents: Record<Reach, Agent> = {
    any: agentWithin('any', limits),
    public: agentWithin('public', limits),
  };
  return {
    async fetch(url, { reach, ...init }) {
      checkHost(url.hostname, reach);
      const headers = new Headers(init.headers);
      headers.set('user-agent', USER_AGENT);
      return undiciFetch(url, { ...init, headers, redirect: 'manual', dispatcher: agents[reach] });
    },
    async close() {
      await Promise.all(Object.values(agents).map((agent) => agent.destroy()));
    },
  };
}

const USER_AGENT = `${SELF.name}/${SELF.version}`;

/**
 * Keeps no connections open: a payment sent over a connection that the target has just closed would have an unknown
 * outcome.
 */
function agentWithin(reach: Reach, limits: AgentLimits): Agent {
  return new Agent({
    pipelining: 0,
    connections: limits.maxConnections,
    connect: { timeout: limits.connectTimeoutMs, lookup: lookupWithin(reach) },
    maxHeaderSize: TARGET_LIMITS.maxHeaderBytes,
    headersTimeout: limits.paidTimeoutMs,
    bodyTimeout: limits.paidTimeoutMs,
  });
}

/** True when a redirect keeps the scheme, host and port, or upgrades http to https on the default ports. */
export function isWithinOrigin(from: URL, to: URL): boolean {
  if (to.username || to.password) return false;
  if (from.origin === to.origin) return true;
  const isUpgrade = from.protocol === 'http:' && to.protocol === 'https:' && from.hostname === to.hostname;
  return isUpgrade && from.port === '' && to.port === '';
}

/** Says in a few words why a request got no answer. */
export function faultOf(error: unknown): string {
  let message = 'unknown fault';
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    message = cause.message || message;
    if (cause instanceof ForbiddenAddress) return cause.message;
    if (cause.name === 'TimeoutError') return 'no complete answer in time';
    const { code } = cause as { code?: unknown };
    if (typeof code === 'string') return FAULT_WORDS[code] ?? code;
  }
  // Libraries repeat in the message the text that they could not read.
  return quoted(message);
}

const FAULT_WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection is refused',
  ENOTFOUND: 'the host is unknown',
  UND_ERR_CONNECT_TIMEOUT: 'no connection in time',
  UND_ERR_SOCKET: 'the connection was closed without an answer',
  UND_ERR_HEADERS_OVERFLOW: `the answer's headers are larger than ${TARGET_LIMITS.maxHeaderBytes} bytes`,
};
