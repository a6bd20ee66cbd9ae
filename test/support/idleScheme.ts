import type { Scheme } from '../../src/scheme/index.ts';

/** What a scheme without accounts or nodes says of itself. */
export const idleScheme: Pick<Scheme, 'identify' | 'isUnderWay' | 'state' | 'readBalances'> = {
  identify: () => undefined,
  isUnderWay: () => false,
  state: () => ({
    accounts: [],
    feeBump: undefined,
    waiting: { payments: 0, places: 0, maxPlaces: 0, oldestMs: 0 },
    verifying: { underWay: 0, waiting: 0 },
    inFlight: 0,
    nodes: [],
    ledger: { latest: 0, lagMs: undefined },
  }),
  readBalances: async () => {},
};
