import { createOutgoing, type Outgoing, type OutgoingFetch, type Response } from '../../net/outgoing.ts';
import { ForbiddenAddress } from '../../net/reach.ts';
import { TARGET_LIMITS, type AgentLimits } from '../limits.ts';
import { SELF } from '../version.ts';
import { quoted } from '../words.ts';

export type { Response };

/** `fetch` for targets. */
export type TargetFetch = OutgoingFetch;

export function createTargetHttp(limits: AgentLimits): Outgoing {
  return createOutgoing({
    userAgent: `${SELF.name}/${SELF.version}`,
    maxConnections: limits.maxConnections,
    connectTimeoutMs: limits.connectTimeoutMs,
    maxHeaderBytes: TARGET_LIMITS.maxHeaderBytes,
    silenceTimeoutMs: limits.paidTimeoutMs,
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
