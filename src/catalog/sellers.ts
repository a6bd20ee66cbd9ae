import type { Caller, Refusal } from '../contract/index.ts';
import type { Query } from '../store/postgres.ts';
import { SCHEMA } from '../store/postgresSchema.ts';
import { coveringKeys } from './keeper/target.ts';
import type { KeeperCall } from './keeper/store.ts';
import type { ListingKey, Metadata } from './listing.ts';
import { NOT_SHOWN } from './operations.ts';
import type { Pool, Wait } from './pool.ts';
import { OVERLOADED, type Overloaded } from './queue.ts';
import type { Outdated } from './shared/log.ts';
import { keyHash } from './sqlite/propose.ts';

/** What a recipient has signed about its listing. The signature was checked before. */
interface Signed {
  readonly listing: ListingKey;
  /** The address that owns the listing: `payTo`, as it was paid. */
  readonly owner: string;
  /** When it was signed, in unix milliseconds. */
  readonly signedAtMs: number;
}

export interface SellerAct extends Signed {
  readonly isHidden: boolean;
}

export interface SellerDescription extends Signed {
  /** Replaces the fields that it has. */
  readonly metadata: Metadata;
}

/**
 * Says whether the listing is shown now. 'unknown': the recipient has no such listing. 'outdated': the recipient has
 * signed something about it at this time or later; nothing was done.
 */
export type SellerOutcome = 'shown' | 'hidden' | 'unknown' | 'outdated';

/** Lets recipients hide and describe their listings. Rejects if the store fails. */
export interface Sellers {
  /** Hides a listing, or ends that. What the operator hides or blocks stays hidden. */
  setHidden(act: SellerAct, caller?: Caller): Promise<SellerOutcome | Overloaded>;
  /**
   * Changes what a listing says, until its next sale says otherwise, and shows for a while that its recipient has signed
   * for it. One that is blocked stays as it is.
   */
  describe(description: SellerDescription, caller?: Caller): Promise<SellerOutcome | Overloaded>;
}

/** Returns the sellers of a catalog that is kept in its file alone. */
export function createLocalSellers(writer: Pick<Pool, 'ask'>): Sellers {
  async function ask(call: KeeperCall, caller: Caller | undefined): Promise<SellerOutcome | Overloaded> {
    const answer = await writer.ask('keeperWrite', call, waitOf(caller));
    return answer === OVERLOADED ? OVERLOADED : (answer as SellerOutcome);
  }

  return {
    setHidden: (act, caller) => ask({ method: 'sellerAct', argument: act }, caller),
    describe: (description, caller) => ask({ method: 'describe', argument: description }, caller),
  };
}

const waitOf = (caller: Caller | undefined): Wait =>
  caller === undefined ? {} : { caller: caller.name, gone: caller.gone };

const SELLER_ACT = `SELECT outcome, at FROM ${SCHEMA}.seller_act(decode($1, 'hex'), $2, $3, $4, $5)`;

export interface SharedSellersDeps {
  readonly query: Query;
  /** Waits until this instance's index has a position. */
  reached(position: number): Promise<void>;
  /** Writes the description into the log. Returns why it did not. */
  describe(description: SellerDescription, wait: Wait): Promise<Refusal | Overloaded | Outdated | undefined>;
}

/** Returns the sellers of a catalog that instances share. */
export function createSharedSellers({ query, reached, describe }: SharedSellersDeps): Sellers {
  return {
    async setHidden({ listing, owner, isHidden, signedAtMs }) {
      const covering = coveringKeys({ resource: listing.resource, owner });
      const [row] = await query(SELLER_ACT, [keyHash(listing), owner, isHidden, signedAtMs, covering]);
      const { outcome, at } = row!;
      if (at !== null) await reached(Number(at));
      return outcome as SellerOutcome;
    },
    async describe(description, caller) {
      const refusal = await describe(description, waitOf(caller));
      if (refusal === undefined) return 'shown';
      if (refusal === OVERLOADED) return OVERLOADED;
      if (refusal.code === 'outdated') return 'outdated';
      return refusal === NOT_SHOWN ? 'hidden' : 'unknown';
    },
  };
}
