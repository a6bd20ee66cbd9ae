import type { SettledPayment } from '../../src/catalog/index.ts';
import type { PaymentRequirements } from '../../src/contract/index.ts';
import { TERMS, urlOf } from './drafts.ts';

/** A listing as these tests write it: everything that is looked at afterwards follows from these. */
export interface Written {
  /** Unique, of letters and digits; also a word of the listing. */
  readonly key: string;
  readonly payTo: string;
  readonly amount?: number;
  readonly description?: string;
}

export function termsFor(payTo: string, amount: number): PaymentRequirements {
  return { ...TERMS, amount: String(amount), payTo, extra: { areFeesSponsored: true } };
}

/** What a seller's GET endpoint without parameters declares. */
export const bazaar = {
  info: { input: { type: 'http', method: 'GET' } },
  schema: { properties: { input: { type: 'object' } } },
};

export function settledPayment({ key, payTo, amount = 1, description = '' }: Written): SettledPayment {
  return {
    extensions: { bazaar },
    resource: { url: urlOf(key), description: `${key} ${description}` },
    requirements: termsFor(payTo, amount),
    isStellarAsset: true,
  };
}
