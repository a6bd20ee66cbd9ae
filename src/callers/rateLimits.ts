import type { OperationId } from '../contract/index.ts';
import { COUNTING_LIMITS, type RateLimits } from './limits.ts';
import { createRequestRate, type Rate } from './requestRate.ts';

export interface RateLimitsDeps {
  /** The limits of a caller, unless its key has others. */
  defaults: RateLimits;
  /** Returns the limits that a key has of its own. */
  limitsOf(keyId: string): RateLimits | undefined;
  limits?: Partial<typeof COUNTING_LIMITS>;
}

export interface Sender {
  readonly name: string;
  readonly keyId: string | undefined;
}

type Headers = Readonly<Record<string, string>>;

/** Names what is counted of an operation, and its limit. */
interface Counted {
  readonly policy: 'verify' | 'settle';
  readonly perMinute: 'verifiesPerMinute' | 'settlesPerMinute';
}

const COUNTED: Partial<Record<OperationId, Counted>> = {
  verifyPayment: { policy: 'verify', perMinute: 'verifiesPerMinute' },
  settlePayment: { policy: 'settle', perMinute: 'settlesPerMinute' },
  getSettlementStatus: { policy: 'verify', perMinute: 'verifiesPerMinute' },
};

/**
 * Limits how often callers verify (or ask for a status, which counts as one) and settle, how many settlements they have in flight, and how many connections a key
 * has. Every request counts, also a refused one. This process counts for itself.
 */
export function createRateLimits({ defaults, limitsOf, limits: changed }: RateLimitsDeps) {
  const limits = { ...COUNTING_LIMITS, ...changed };
  const rates = { verify: createRequestRate(limits), settle: createRequestRate(limits) };
  const inFlight = createInFlight();

  /** Returns a limit of a caller; undefined if there is none. */
  function limitOf(keyId: string | undefined, which: keyof RateLimits): number | undefined {
    return (keyId === undefined ? undefined : limitsOf(keyId)?.[which]) ?? defaults[which];
  }

  async function countRequest({ policy }: Counted, maxPerMinute: number, name: string) {
    const rate = await rates[policy](name);
    const headers = headersOf(policy, maxPerMinute, rate, limits.windowSeconds);
    if (rate.requests <= maxPerMinute) return { headers };
    const message = `You have reached your limit of ${maxPerMinute} requests to ${policy} per minute; try again after Retry-After seconds.`;
    return refused(message, rate.seconds, headers);
  }

  /** Counts a settlement until it is answered. */
  function begin(name: string, maxInFlight: number | undefined, headers: Headers | undefined) {
    const leave = inFlight.enter(name, maxInFlight);
    if (leave !== undefined) return { headers, leave };
    const message = `You have ${maxInFlight} settlements in flight, as many as you may; try again when one is answered.`;
    return refused(message, limits.settlementRetryAfterSeconds, headers);
  }

  return {
    admit(operationId: OperationId, { name, keyId }: Sender) {
      const counted = COUNTED[operationId];
      if (counted === undefined) return UNLIMITED;
      const maxPerMinute = limitOf(keyId, counted.perMinute);
      const maxInFlight = counted.policy === 'settle' ? limitOf(keyId, 'settlementsInFlight') : undefined;
      if (maxPerMinute === undefined)
        return maxInFlight === undefined ? UNLIMITED : begin(name, maxInFlight, undefined);
      return countRequest(counted, maxPerMinute, name).then((request) =>
        'code' in request ? request : begin(name, maxInFlight, request.headers),
      );
    },
    /** Returns how many connections a key may have. */
    maxConnectionsOf: (keyId: string) => limitOf(keyId, 'connections'),
  };
}

function noop(): void {}

const UNLIMITED = { headers: undefined, leave: noop };

/** Counts the settlements of each caller that are not answered yet. */
function createInFlight() {
  const byName = new Map<string, number>();
  return {
    /** Returns a function that ends the settlement; undefined if the caller has as many as it may. */
    enter(name: string, max: number | undefined): (() => void) | undefined {
      if (max === undefined) return noop;
      const own = byName.get(name) ?? 0;
      if (own >= max) return undefined;
      byName.set(name, own + 1);
      return () => {
        const left = byName.get(name)! - 1;
        if (left > 0) byName.set(name, left);
        else byName.delete(name);
      };
    },
  };
}

function refused(message: string, retryAfterSeconds: number, headers: Headers | undefined) {
  return {
    status: 429,
    code: 'svc_rate_limited',
    message,
    headers: { ...headers, 'retry-after': String(retryAfterSeconds) },
  } as const;
}

/** Returns the fields of draft-ietf-httpapi-ratelimit-headers, as of its versions 8 to 11. */
function headersOf(policy: string, max: number, { requests, seconds }: Rate, windowSeconds: number): Headers {
  return {
    'ratelimit-policy': `"${policy}";q=${max};w=${windowSeconds}`,
    ratelimit: `"${policy}";r=${Math.max(0, max - requests)};t=${seconds}`,
  };
}
