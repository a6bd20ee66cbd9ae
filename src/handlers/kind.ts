import type { PaymentRequirements, Refusal } from '../contract/index.ts';
import type { Scheme } from '../scheme/index.ts';

/** Refuses requirements that are not of the advertised kind. */
export function checkKind(
  kind: Scheme['kind'],
  requirements: PaymentRequirements,
): Refusal<'svc_unsupported_kind'> | undefined {
  if (requirements.scheme === kind.scheme && requirements.network === kind.network) return undefined;
  const message = `The requirements ask for a kind of payment that is not served; this service has only ${kind.scheme} on ${kind.network}. See GET /supported.`;
  return { code: 'svc_unsupported_kind', message };
}
