import type { IncomingHttpHeaders } from 'node:http';
import type { OperatorOperationId, OperatorRefusal } from '../contract/index.ts';
import { bearerTokenIn, createTokenCheck } from '../net/bearerToken.ts';
import { refuse } from './refusal.ts';
import type { Sessions } from './sessions.ts';

/** The parts of a request that say whether it may be answered. */
export interface Asked {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  /** Undefined for the console's files, which reveal nothing about the service. */
  readonly operationId: OperatorOperationId | undefined;
}

export const SESSION_COOKIE = 'facilitator_session';

/** Operations that need no token. Each checks its input itself, or reveals nothing about the service. */
const OPEN_TO_ALL: readonly OperatorOperationId[] = ['getLive', 'getReady', 'openSession'];
const CHANGING = ['POST', 'PUT', 'PATCH', 'DELETE'];

/** Decides whose requests are answered. Without a token, only those of programs and pages on this machine. */
export function createAccess({ token, sessions }: { token: string | undefined; sessions: Sessions }) {
  const isToken = token === undefined ? () => false : createTokenCheck(token);

  function hasToken({ authorization }: IncomingHttpHeaders): boolean {
    const text = bearerTokenIn(authorization);
    return text !== undefined && isToken(text);
  }

  function hasSession(headers: IncomingHttpHeaders): boolean {
    const session = sessionIn(headers);
    return session !== undefined && sessions.isOpen(session);
  }

  function strange(asked: Asked): OperatorRefusal | undefined {
    const { method, headers } = asked;
    const { host = '', origin } = headers;
    // Otherwise an attacker could point a DNS name here, and a page under that name could read this port.
    if (token === undefined && !isThisMachine(host))
      return refuse(
        'op_forbidden',
        `Use localhost or 127.0.0.1: this port does not answer for ${shown(host)}.`,
      );
    if (isFromAnotherSite(headers) && !isLinkToPage(asked))
      return refuse('op_forbidden', 'A page of another site may not use this port.');
    if (origin !== undefined && CHANGING.includes(method) && !isOriginOf(origin, host))
      return refuse('op_forbidden', 'A page of another origin may not change anything here.');
    return undefined;
  }

  function unauthorized({ method, headers, operationId }: Asked): OperatorRefusal | undefined {
    if (token === undefined || operationId === undefined || OPEN_TO_ALL.includes(operationId))
      return undefined;
    if (hasToken(headers)) return undefined;
    if (!hasSession(headers))
      return refuse(
        'op_unauthorized',
        'Send OPERATOR_TOKEN as Authorization: Bearer …, or sign in to the console.',
      );
    // A browser sends the origin with every request that changes something.
    if (CHANGING.includes(method) && headers.origin === undefined)
      return refuse('op_forbidden', 'With a session, a change needs an Origin header.');
    return undefined;
  }

  return {
    isToken,
    /** True if a request may see all. Without a token, everybody on this machine may. */
    isOperator: (headers: IncomingHttpHeaders): boolean =>
      token === undefined || hasToken(headers) || hasSession(headers),
    /** Returns why a request may not be answered; undefined if it may. */
    refusal: (asked: Asked): OperatorRefusal | undefined => strange(asked) ?? unauthorized(asked),
  };
}

export function sessionIn({ cookie = '' }: IncomingHttpHeaders): string | undefined {
  const pairs = cookie.split(';').map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${SESSION_COOKIE}=`))?.slice(SESSION_COOKIE.length + 1);
}

function isThisMachine(host: string): boolean {
  const name = host.replace(/:\d+$/, '');
  return name === 'localhost' || name === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(name);
}

/** True if a page of another site makes a browser ask. */
function isFromAnotherSite({ 'sec-fetch-site': site = 'none' }: IncomingHttpHeaders): boolean {
  return site !== 'none' && site !== 'same-origin';
}

/** A link to the console does no harm. A link to an export could make the operator's browser load the service. */
function isLinkToPage({ headers, operationId }: Asked): boolean {
  const { 'sec-fetch-mode': mode, 'sec-fetch-dest': destination } = headers;
  return operationId === undefined && mode === 'navigate' && destination === 'document';
}

const isOriginOf = (origin: string, host: string): boolean =>
  URL.parse(origin)?.host === URL.parse(`http://${host}`)?.host || origin === `https://${host}`;

const shown = (host: string): string => host.slice(0, 64).replace(/[^\w.:[\]-]/g, '?');
