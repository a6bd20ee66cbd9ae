import type { Catalog, Speaker, Unproven, Verified } from '../catalog/index.ts';
import type { Place } from './ask.ts';
import type { ProofLimits } from './limits.ts';

/** The listings of recipients at origins, and what is written of them. */
export interface Listings {
  /** Returns some that have no proof, or one that ends soon. */
  of(speaker: Speaker): Promise<readonly Unproven[]>;
  prove(listing: Unproven, payTo: string, by: Place): Promise<void>;
  /** Proves all of them, up to a limit. Returns how many. */
  proveAll(speaker: Speaker, by: Place): Promise<number>;
  /** Takes away proofs that have ended, so that nobody looks for them any more. */
  forgetEnded(speaker: Speaker): Promise<void>;
}

export interface ListingsDeps {
  proofs: Catalog['proofs'];
  limits: ProofLimits;
  now: () => number;
}

export function createListings({ proofs, limits, now }: ListingsDeps): Listings {
  const of = (speaker: Speaker): Promise<readonly Unproven[]> =>
    proofs.unproven({ ...speaker, untilBefore: now() + limits.validForMs - limits.renewAfterMs });

  const prove = ({ id }: Unproven, owner: string, by: Place): Promise<void> =>
    proofs.record({ id, owner, verified: verifiedBy(by, now(), limits.validForMs) });

  return {
    of,
    prove,
    async proveAll(speaker, by) {
      let proven = 0;
      for (let pages = 0; pages < limits.maxPagesWritten; pages += 1) {
        const listings = await of(speaker);
        if (listings.length === 0) break;
        for (const listing of listings) await prove(listing, speaker.payTo, by);
        proven += listings.length;
      }
      return proven;
    },
    async forgetEnded(speaker) {
      const ended = (await of(speaker)).filter(
        ({ provenUntil }) => provenUntil !== null && provenUntil <= now(),
      );
      for (const { id } of ended) await proofs.record({ id, owner: speaker.payTo, verified: undefined });
    },
  };
}

export function verifiedBy(by: Place, nowMs: number, validForMs: number): Verified {
  return { by, at: new Date(nowMs).toISOString(), until: new Date(nowMs + validForMs).toISOString() };
}
