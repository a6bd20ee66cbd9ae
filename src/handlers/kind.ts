import type { PaymentRequirements } from '../contract/index.ts';
import type { Scheme } from '../scheme/index.ts';

/** Why the requirements are not of the advertised kind, as a sentence; null when they are (specification 7.4). */
export function unsupportedKind(kind: Scheme['kind'], requirements: PaymentRequirements): string | null {
  if (requirements.scheme === kind.scheme && requirements.network === kind.network) return null;
  return `The requirements ask for a kind of payment that is not served; served is ${kind.scheme} on ${kind.network}. See GET /supported.`;
}
