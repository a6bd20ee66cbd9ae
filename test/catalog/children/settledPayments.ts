import type { SettledPayment } from '../../../src/catalog/index.ts';
import type { PaymentRequirements } from '../../../src/contract/index.ts';

/** A listing as these tests write it: everything that is looked at afterwards follows from these. */
export interface Written {
  /** Unique, of letters and digits; also a word of the listing. */
  readonly key: string;
  readonly payTo: string;
  readonly amount?: number;
  readonly description?: string;
}

const HOST = 'https://seller.example/';

export const urlOf = (key: string): string => HOST + key;
export const keyOf = (url: string): string => url.slice(HOST.length);

export function termsFor(payTo: string, amount: number): PaymentRequirements {
  return {
    scheme: 'exact',
    network: 'stellar:testnet',
    asset: 'CBIELTK6YBZJU5UP2WWQEUCYKLPU6AUNZ2BQ4WWFEIE3USCIHMXQDAMA',
    amount: String(amount),
    payTo,
    maxTimeoutSeconds: 60,
    extra: { areFeesSponsored: true },
  };
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
  };
}
