import { DEFAULT_FEES, DEFAULT_NEW_LISTINGS_PER_HOUR, type Config } from '../../src/config/config.ts';
import { DEFAULT_CALLERS } from '../../src/config/callers.ts';
import { DEFAULT_POLICY } from '../../src/config/policy.ts';
import type { Scheme } from '../../src/scheme/index.ts';
import { idleScheme } from '../support/idleScheme.ts';

export const SUBMITTER = 'GCXKG6RN4ONIEPCMNFB732A436Z5PNDSRLGWK7GBLCMQLIFO4S7EYWVU';
export const PAYER = 'GDQNY3PBOJOKYZSRMK2S7LHHGWZIUISD4QORETLMXEWXBI7KFZZMKMK3';
export const TRANSACTION = 'ab'.repeat(32);

export const config: Config = {
  network: 'stellar:testnet',
  rpcUrls: ['https://user:pass@rpc.example/v1/provider-key?apikey=provider-key'],
  port: 0,
  dbPath: ':memory:',
  feeMode: 'free',
  fees: DEFAULT_FEES,
  policy: DEFAULT_POLICY,
  callers: DEFAULT_CALLERS,
  newListingsPerHour: DEFAULT_NEW_LISTINGS_PER_HOUR,
};

/** A scheme that finds every payment good, unless told otherwise. */
export function standInScheme(overrides: Partial<Scheme> = {}): Scheme {
  return {
    ...idleScheme,
    kind: { x402Version: 2, scheme: 'exact', network: 'stellar:testnet', extra: { areFeesSponsored: true } },
    submitters: [SUBMITTER],
    feeBumpAddress: undefined,
    verify: async () => ({ isValid: true, payer: PAYER }),
    settle: async () => ({
      success: true,
      transaction: TRANSACTION,
      network: 'stellar:testnet',
      payer: PAYER,
    }),
    open: async () => {},
    close: async () => {},
    ...overrides,
  };
}

export const requirements = {
  scheme: 'exact',
  network: 'stellar:testnet',
  asset: 'CBIELTK6YBZJU5UP2WWQEUCYKLPU6AUNZ2BQ4WWFEIE3USCIHMXQDAMA',
  amount: '100000',
  payTo: 'GCSQWJRSOBYYESHL2MW7QLPMNSRX3BVSIIIBAZCKEIFLGDJZRZXLYZWX',
  maxTimeoutSeconds: 60,
  extra: { areFeesSponsored: true },
};

/** A request as stock sellers send it, about 2.4 kB. */
export const payment = {
  x402Version: 2,
  paymentPayload: {
    x402Version: 2,
    resource: { url: 'https://api.example.com/weather', description: '', mimeType: '' },
    accepted: requirements,
    payload: { transaction: 'AAAA'.repeat(420) },
  },
  paymentRequirements: requirements,
};
