import type { PaymentRequirements } from '../contract/index.ts';
import type { Scheme } from '../scheme/index.ts';

/** Returns null if the requirements are of the advertised kind, otherwise a sentence that says that they are not. */
export function unsupportedKind(kind: Scheme['kind'], requirements: PaymentRequirements): string | null {
  if (requirements.scheme === kind.scheme && requirements.network === kind.network) return null;
  return `The requirements ask for a kind of payment that is not served; served is ${kind.scheme} on ${kind.network}. See GET /supported.`;
}
