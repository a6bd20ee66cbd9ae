import type { Caller } from '../contract/index.ts';
import type { Query } from '../store/postgres.ts';
import { SCHEMA } from '../store/postgresSchema.ts';
import { coveringKeys } from './keeper/target.ts';
import type { ListingKey } from './listing.ts';
import type { Pool } from './pool.ts';
import { OVERLOADED, type Overloaded } from './queue.ts';
import { keyHash } from './sqlite/propose.ts';

/** What a recipient has signed about its listing. The signature was checked before. */
export interface SellerAct {
  readonly listing: ListingKey;
  /** The address that owns the listing: `payTo`, as it was paid. */
  readonly owner: string;
  readonly isHidden: boolean;
  /** When it was signed, in unix milliseconds. */
  readonly signedAtMs: number;
}

/**
 * Says whether the listing is shown now. 'unknown': the recipient has no such listing. 'outdated': the recipient has
 * signed something about it at this time or later; nothing was done.
 */
export type SellerOutcome = 'shown' | 'hidden' | 'unknown' | 'outdated';

/** Lets recipients hide their listings. Rejects if the store fails. */
export interface Sellers {
  /** Hides a listing, or ends that. What the operator hides or blocks stays hidden. */
  setHidden(act: SellerAct, caller?: Caller): Promise<SellerOutcome | Overloaded>;
}

/** Returns the sellers of a catalog that is kept in its file alone. */
export function createLocalSellers(writer: Pick<Pool, 'ask'>): Sellers {
  return {
    async setHidden(act, caller) {
      const call = { method: 'sellerAct', argument: act } as const;
      const wait = caller === undefined ? {} : { caller: caller.name, gone: caller.gone };
      const answer = await writer.ask('keeperWrite', call, wait);
      return answer === OVERLOADED ? OVERLOADED : (answer as SellerOutcome);
    },
  };
}

const SELLER_ACT = `SELECT outcome, at FROM ${SCHEMA}.seller_act(decode($1, 'hex'), $2, $3, $4, $5)`;

/** Returns the sellers of a catalog that instances share. `reached` waits until this instance's index has a position. */
export function createSharedSellers(query: Query, reached: (position: number) => Promise<void>): Sellers {
  return {
    async setHidden({ listing, owner, isHidden, signedAtMs }) {
      const covering = coveringKeys({ resource: listing.resource, owner });
      const [row] = await query(SELLER_ACT, [keyHash(listing), owner, isHidden, signedAtMs, covering]);
      const { outcome, at } = row!;
      if (at !== null) await reached(Number(at));
      return outcome as SellerOutcome;
    },
  };
}
