import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
import { bearerTokenIn, createTokenCheck } from '../../net/bearerToken.ts';
import { isLoopback } from '../../net/loopback.ts';
import { hostnameOf, type HttpConfig } from '../httpConfig.ts';
import type { HttpRefusal } from './refusal.ts';

/** Decides whose requests are answered. */
export interface Access {
  /**
   * Returns why a request may come from a page whose DNS name was pointed here (DNS rebinding), or from any other page;
   * undefined if it does not.
   */
  strange(headers: IncomingHttpHeaders): HttpRefusal | undefined;
  /** Returns why a request without the token is not answered; undefined if it is. */
  unauthorized(headers: IncomingHttpHeaders): HttpRefusal | undefined;
}

const WILDCARDS: readonly string[] = ['0.0.0.0', '[::]'];

export function createAccess({ host, names }: HttpConfig, token: string | undefined): Access {
  const isToken = token === undefined ? undefined : createTokenCheck(token);
  const own = hostnameOf(host);

  /** An address cannot be pointed elsewhere, so every one is good where all are listened on. */
  function isOwn(hostname: string): boolean {
    if (names.includes(hostname) || hostname === own) return true;
    if (WILDCARDS.includes(own)) return hostname === 'localhost' || isIP(bare(hostname)) !== 0;
    return isLoopback(own) && isLoopback(hostname);
  }

  return {
    strange({ host: asked = '', origin }) {
      const hostname = hostnameIn(asked);
      if (hostname === undefined || !isOwn(hostname))
        return forbidden(
          'This server does not answer for the host that the request names: use its address, or add the name to SVC_MCP_HTTP_NAMES.',
        );
      const isOwnOrigin = [undefined, `http://${asked}`, `https://${asked}`].includes(origin?.toLowerCase());
      return isOwnOrigin ? undefined : forbidden('Pages of another origin may not use this server.');
    },
    unauthorized({ authorization }) {
      if (isToken === undefined) return undefined;
      const shown = bearerTokenIn(authorization);
      if (shown !== undefined && isToken(shown)) return undefined;
      const challenge = shown === undefined ? 'Bearer' : 'Bearer error="invalid_token"';
      return {
        status: 401,
        message: 'Send the token of this server as Authorization: Bearer …',
        headers: { 'www-authenticate': challenge },
      };
    },
  };
}

/** Returns the hostname in a `Host` header, in the form of a URL; undefined if the header is not just a host and a port. */
function hostnameIn(host: string): string | undefined {
  return /^[\w.:[\]-]+$/.test(host) ? URL.parse(`http://${host}`)?.hostname : undefined;
}

const bare = (hostname: string): string => hostname.replace(/^\[(.*)\]$/, '$1');

const forbidden = (message: string): HttpRefusal => ({ status: 403, message });
