import type { PaymentRequirements } from '../contract/index.ts';
import type { Scheme } from '../scheme/index.ts';

/** Returns why the requirements are not of the advertised kind; undefined if they are. */
export function unsupportedKind(kind: Scheme['kind'], requirements: PaymentRequirements): string | undefined {
  if (requirements.scheme === kind.scheme && requirements.network === kind.network) return undefined;
  return `The requirements ask for a kind of payment that is not served; served is ${kind.scheme} on ${kind.network}. See GET /supported.`;
}
