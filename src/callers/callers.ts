import type { EnvelopeCode, OperationId } from '../contract/index.ts';
import { createBudgets } from './budgets.ts';
import { looksLikeKey } from './key.ts';
import type { KnownKeys } from './knownKeys.ts';
import type { KeyLimits, RateLimits } from './limits.ts';
import { createRateLimits, type Sender } from './rateLimits.ts';

export interface CallersDeps {
  settings: {
    /** True if verify, settle and the status of settlements need a key. */
    readonly needKey: boolean;
    /** True if everything else needs one, too. */
    readonly discoveryNeedsKey: boolean;
    /** The limits of each caller, unless its key has others. */
    readonly limits: RateLimits;
    readonly anonymousFeeBudgetStroops: number | undefined;
    readonly serviceFeeBudgetStroops: number | undefined;
  };
  keys: Pick<KnownKeys, 'shownIn' | 'withId'>;
  /** Returns the text that goes with a code. */
  messageOf(code: EnvelopeCode): string;
}

const PAYMENT_OPERATIONS: ReadonlySet<OperationId> = new Set([
  'verifyPayment',
  'settlePayment',
  'getSettlementStatus',
]);

const CHALLENGE = 'Bearer realm="stellar-facilitator"';
const WRONG_KEY = 'This key is not known here, or was revoked. Ask the operator for another one.';

/** Knows who calls, and what they may do. */
export function createCallers({ settings, keys, messageOf }: CallersDeps) {
  function needsKey(operationId: OperationId): boolean {
    // Those who check receipts are no callers.
    if (operationId === 'getReceiptKeys') return false;
    return PAYMENT_OPERATIONS.has(operationId) ? settings.needKey : settings.discoveryNeedsKey;
  }

  const unauthorized = (message: string, authenticate: string) =>
    ({
      status: 401,
      code: 'svc_unauthorized',
      message,
      headers: { 'www-authenticate': authenticate },
    }) as const;

  const wrongKey = () => unauthorized(WRONG_KEY, `${CHALLENGE}, error="invalid_token"`);

  /** Returns the sender by its key, else by its address, or a refusal. */
  function identify(
    operationId: OperationId,
    { authorization }: { readonly authorization?: string | undefined },
    address: string,
  ) {
    const token = authorization === undefined ? undefined : bearerTokenIn(authorization);
    const isNeeded = needsKey(operationId);
    if (token !== undefined && (isNeeded || looksLikeKey(token))) {
      const key = keys.shownIn(token);
      if (key === undefined) return wrongKey();
      return { name: `key:${key.id}`, keyId: key.id };
    }
    return isNeeded
      ? unauthorized(messageOf('svc_unauthorized'), CHALLENGE)
      : { name: address, keyId: undefined };
  }

  /** Returns the limits that a key has of its own; undefined if it is not in use. */
  const limitsOf = (keyId: string): KeyLimits | undefined => keys.withId(keyId)?.limits;

  const { admit, maxConnectionsOf } = createRateLimits({ defaults: settings.limits, limitsOf });

  return {
    identify,
    maxConnectionsOf,
    admit(operationId: OperationId, sender: Sender) {
      const { keyId } = sender;
      // A key may be revoked while its request arrives, or waits for others on its connection.
      return keyId !== undefined && keys.withId(keyId) === undefined
        ? wrongKey()
        : admit(operationId, sender);
    },
    budgetOf: createBudgets({ ...settings, limitsOf }),
  };
}

/** Returns undefined for any other scheme. */
function bearerTokenIn(authorization: string): string | undefined {
  return /^bearer +(\S+) *$/i.exec(authorization)?.[1];
}
