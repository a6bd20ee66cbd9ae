import type { Catalog, ProofPlace } from '../catalog/index.ts';
import type { ProofLimits } from './limits.ts';
import type { Looks } from './looks.ts';

/** Where the proofs that end first stand. */
const START: ProofPlace = { until: 0, id: 0 };

interface RenewalDeps {
  proofs: Catalog['proofs'];
  looks: Pick<Looks, 'add' | 'hasRoom'>;
  limits: ProofLimits;
  /** Unix time in ms. */
  now: () => number;
  /** Milliseconds that never decrease. */
  elapsed: () => number;
}

/** Returns a function that adds looks for proofs that end soon, a page at a time while there is room. */
export function createRenewal({ proofs, looks, limits, now, elapsed }: RenewalDeps): () => Promise<void> {
  let after = START;
  let nextRoundMs = -Infinity;
  let isReading = false;

  return async () => {
    if (isReading || !looks.hasRoom || elapsed() < nextRoundMs) return;
    isReading = true;
    try {
      const untilBefore = now() + limits.validForMs - limits.renewAfterMs;
      const { listings, next } = await proofs.ending({ untilBefore, after });
      for (const listing of listings) looks.add(listing);
      after = next ?? START;
      if (next === undefined) nextRoundMs = elapsed() + limits.roundMs;
    } catch (error) {
      nextRoundMs = elapsed() + limits.roundMs;
      throw error;
    } finally {
      isReading = false;
    }
  };
}
