import type { Refusal } from '../../contract/index.ts';
import { hasKey, isSignedBy } from '../../stellar/signedMessage.ts';
import { defaultMessage } from '../messages.ts';
import type { SellerLimits } from './limits.ts';

/** What a recipient sends: the fields of the message, in any order, and its signature. */
export interface SignedFields {
  readonly recipient: string;
  readonly resource?: string;
  readonly type?: string;
  readonly toolName?: string;
  readonly serviceName?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly iconUrl?: string;
  readonly cursor?: string;
  /** ISO 8601. */
  readonly signedAt: string;
  /** Base64. */
  readonly signature: string;
}

export type SignatureCode = 'svc_invalid_signature' | 'svc_expired_signature';

/** Returns when a message was signed, in unix milliseconds, if its recipient has signed it for this service and action. */
export type CheckSigned = (action: string, fields: SignedFields) => number | Refusal<SignatureCode>;

export interface SignedDeps {
  /** The public URL of the service. */
  readonly service: string;
  readonly network: string;
  readonly limits: SellerLimits;
  readonly now: () => number;
}

/** The fields of a message in the order of its lines. None can hold a line feed: the contract says so. */
const FIELDS = [
  ...(['recipient', 'resource', 'type', 'toolName'] as const),
  ...(['serviceName', 'description', 'tags', 'iconUrl'] as const),
  ...(['cursor', 'signedAt'] as const),
];

export function createCheckSigned({ service, network, limits, now }: SignedDeps): CheckSigned {
  function messageOf(action: string, fields: SignedFields): string {
    const lines = FIELDS.flatMap((name) => [fields[name] ?? []].flat().map((value) => `${name}: ${value}`));
    const place = [`service: ${service}`, `network: ${network}`, `action: ${action}`];
    return ['Message to a payment facilitator', ...place, ...lines].join('\n');
  }

  return (action, fields) => {
    if (!hasKey(fields.recipient)) return refuse('svc_invalid_signature', CANNOT_SIGN);
    const signedAtMs = Date.parse(fields.signedAt);
    const ageMs = now() - signedAtMs;
    // A time that is none has no age, either.
    if (!(ageMs <= limits.validMs && ageMs >= -limits.aheadMs)) return refuse('svc_expired_signature');
    const message = messageOf(action, fields);
    if (isSignedBy(fields.recipient, message, Buffer.from(fields.signature, 'base64'))) return signedAtMs;
    const reason = `The recipient has not signed this message: ${JSON.stringify(message)}.`;
    return refuse('svc_invalid_signature', reason);
  };
}

const CANNOT_SIGN =
  'Only an account has a key that signs, and the recipient is none. A contract is shown as verified if its origin names it, for example in the 402 of the URL.';

function refuse(code: SignatureCode, message = defaultMessage(code)): Refusal<SignatureCode> {
  return { code, message };
}
