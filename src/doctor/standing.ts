/** Asks whether a seller still offers what a listing says. */
import { isObject, valueAt } from '../agent/json.ts';
import type { CheckableListing, Stale } from '../catalog/index.ts';
import type { OutgoingFetch, Response } from '../net/outgoing.ts';
import { ForbiddenAddress, type Reach } from '../net/reach.ts';
import { decoded } from './demand.ts';
import type { CHECK_LIMITS } from './limits.ts';

type Item = CheckableListing['item'];

/**
 * Says how a listing stands. `answered`: somebody answers, and that is all that can be told. `not_told`: nothing can be.
 * `not_asked`: it is no `http` listing, or its address is out of reach.
 */
export type Standing = 'offered' | Stale['reason'] | 'answered' | 'not_told' | 'not_asked';

export interface StandingDeps {
  readonly fetch: OutgoingFetch;
  /** `any` if the operator also lets machines of the own network be asked. */
  readonly reach: Reach;
  readonly limits: typeof CHECK_LIMITS;
}

/**
 * Fetches a listing's 402, once, without its body, and compares it with the listing. Strangers named the URL, so only GET
 * and HEAD are sent. Never rejects.
 */
export async function standingOf(
  { fetch, reach, limits }: StandingDeps,
  { item }: Pick<CheckableListing, 'item'>,
): Promise<Standing> {
  const url = item.type === 'http' ? URL.parse(item.resource) : null;
  if (url === null) return 'not_asked';
  const declared = declaredMethod(item);
  const isHead = declared === 'HEAD';
  try {
    const response = await fetch(url, {
      method: isHead ? 'HEAD' : 'GET',
      reach,
      signal: AbortSignal.timeout(limits.requestTimeoutMs),
      headers: { accept: 'application/json' },
    });
    // Nothing of it is needed, and the answer counts however its body ends.
    response.body?.cancel().catch(() => {});
    const standing = standingIn(response, item, limits.maxJsonDepth);
    const isItsRequest = (isHead || declared === 'GET') && !hasParameters(item);
    return standing === 'offered' || isItsRequest ? standing : 'answered';
  } catch (error) {
    return standingAfter(error as Error);
  }
}

const declaredMethod = ({ extensions }: Item): unknown =>
  valueAt(extensions?.bazaar, 'info', 'input', 'method');

/** A URL with places for parameters shows only whether somebody answers there. */
const hasParameters = ({ extensions }: Item): boolean => extensions?.bazaar?.['routeTemplate'] !== undefined;

/** The codes of a machine that is cut off itself: they say nothing of the seller. */
const CUT_OFF = ['EAI_AGAIN', 'ENETUNREACH', 'ENETDOWN', 'EMFILE', 'ENFILE'];

function standingAfter(error: Error): Standing {
  const cause = error.cause ?? error;
  if (cause instanceof ForbiddenAddress) return 'not_asked';
  return CUT_OFF.includes(String((cause as { code?: unknown }).code)) ? 'not_told' : 'no_answer';
}

/** The statuses of a seller that has no time, or that wants to know more before it names its price. */
const PASSING = [400, 408, 422, 425, 429];

function standingIn({ status, headers }: Response, { accepts }: Item, maxJsonDepth: number): Standing {
  if (PASSING.includes(status)) return 'answered';
  const header = headers.get('payment-required');
  if (status !== 402 || header === null) return 'no_402';
  const required = decoded(header, maxJsonDepth);
  if (typeof required === 'string') return 'no_402';
  const offers = Array.isArray(required['accepts']) ? required['accepts'].filter(isObject) : [];
  // A listing keeps the terms of earlier payments: one that is still offered is enough.
  const isOffered = accepts.some((terms) => offers.some((offer) => IDENTITY.every(sameIn(terms, offer))));
  return isOffered ? 'offered' : 'other_terms';
}

/** What makes terms the same: the rest may change without changing what is paid. */
const IDENTITY = ['scheme', 'network', 'asset', 'amount', 'payTo'] as const;

const sameIn =
  (terms: Item['accepts'][number], offer: Readonly<Record<string, unknown>>) =>
  (name: (typeof IDENTITY)[number]): boolean =>
    terms[name] === offer[name];
