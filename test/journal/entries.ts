import type { JournalEntry } from '../../src/scheme/index.ts';

/** What an entry says of the request, where a test is not about it. */
export const ASKED = {
  payTo: 'GSHOP',
  amount: 10_000n,
  asset: 'CASSET',
  resource: 'https://shop.example/weather',
  requestId: 'request-1',
  askedAgoMs: 3_000,
  verifiedAgoMs: 1_000,
} as const satisfies Partial<JournalEntry>;
