import { readBody } from '../net/body.ts';
import type { OutgoingFetch, Response } from '../net/outgoing.ts';
import type { Reach } from '../net/reach.ts';
import type { ProofLimits } from './limits.ts';
import { namedInOwnerFile, namedInStellarToml, namedInTerms } from './statements.ts';

/** The places at which an origin names recipients, in the order in which they are asked. */
export const PLACES = ['well-known', 'stellar-toml', 'live-402'] as const;

/** The first two speak for the whole origin, the last one for its URL alone. */
export type Place = (typeof PLACES)[number];

/** What an origin says at a place. */
export interface Statement {
  readonly place: Place;
  readonly named: readonly string[];
  /** False if it could not be learned: no answer in time, a failing or throttling server, or an answer that was cut. */
  readonly isCertain: boolean;
}

/** Asks for what stands at a place. Never rejects, and ends within the limit of one request. */
export type Ask = (place: Place, resource: URL, closing: AbortSignal) => Promise<Statement>;

export interface AskDeps {
  fetch: OutgoingFetch;
  /** `any` is for a network of one's own. */
  reach: Reach;
  limits: Pick<ProofLimits, 'requestTimeoutMs' | 'maxBodyBytes'>;
}

/** Without TLS anybody on the way could speak for an origin. Only in a network of one's own is that taken. */
export const canProve = (resource: URL, reach: Reach): boolean =>
  resource.protocol === 'https:' || reach === 'any';

/** Follows no redirect, and sends nothing but GET: a URL is whatever somebody has paid for. */
export function createAsk({ fetch, reach, limits }: AskDeps): Ask {
  return async (place, resource, closing) => {
    if (!canProve(resource, reach)) return { place, named: [], isCertain: false };
    const signal = AbortSignal.any([closing, AbortSignal.timeout(limits.requestTimeoutMs)]);
    try {
      const response = await fetch(urlOf(place, resource), { signal, reach, headers: ACCEPT });
      return { place, ...(await read(place, response, limits.maxBodyBytes)) };
    } catch {
      return { place, named: [], isCertain: false };
    }
  };
}

const ACCEPT = { accept: 'application/json, text/plain;q=0.9, */*;q=0.5', 'accept-encoding': 'identity' };

function urlOf(place: Place, resource: URL): URL {
  switch (place) {
    case 'well-known':
      return new URL('/.well-known/x402-owner', resource.origin);
    case 'stellar-toml':
      return new URL('/.well-known/stellar.toml', resource.origin);
    case 'live-402':
      return withoutQuery(resource);
  }
}

/** A path such as `//other.example/x` would be another host if it were resolved. */
function withoutQuery({ origin, pathname }: URL): URL {
  const url = new URL(origin);
  url.pathname = pathname;
  return url;
}

async function read(place: Place, response: Response, maxBytes: number): Promise<Omit<Statement, 'place'>> {
  const { status, headers } = response;
  if (status !== (place === 'live-402' ? 402 : 200)) {
    await response.body?.cancel();
    return { named: [], isCertain: !isPassing(status) };
  }
  const { bytes, isComplete } = await readBody(response, maxBytes);
  if (!isComplete) return { named: [], isCertain: false };
  return { named: namedIn(place, bytes.toString('utf8'), headers.get('payment-required')), isCertain: true };
}

function namedIn(place: Place, text: string, terms: string | null): string[] {
  switch (place) {
    case 'well-known':
      return namedInOwnerFile(text);
    case 'stellar-toml':
      return namedInStellarToml(text);
    case 'live-402':
      return namedInTerms(terms, text);
  }
}

const TIMED_OUT = 408;
const TOO_EARLY = 425;
const TOO_MANY_REQUESTS = 429;
const FIRST_SERVER_ERROR = 500;

const isPassing = (status: number): boolean =>
  status >= FIRST_SERVER_ERROR || [TIMED_OUT, TOO_EARLY, TOO_MANY_REQUESTS].includes(status);
