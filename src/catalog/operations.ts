import { readDeclaration } from './declaration/read.ts';
import { refuse } from './declaration/refusal.ts';
import type { CatalogRefusal } from './listing.ts';
import type { SellerDescription } from './sellers.ts';
import type { KeeperCall } from './keeper/store.ts';
import { createPages, type Pages } from './pages.ts';
import type { EndingPage, EndingRequest, RecordRequest, Unproven, UnprovenRequest } from './proofs.ts';
import type { PreparedListings } from './sqlite/preparedListings.ts';
import type { ListingBatch, LogBatch, Current, Proposal, Settlement, Standing, Store } from './store.ts';

/** A settled payment on its way to the catalog's thread. */
export interface Submission extends Omit<Settlement, 'declaration'> {
  /** `extensions` as JSON, including `bazaar`. */
  readonly extensionsText: string;
  readonly resource: unknown;
  /** See SettledPayment. */
  readonly transaction?: string | undefined;
}

/** A settled payment on its way to the shared log. */
export interface ProposeRequest {
  readonly submission: Submission;
  /** The listing as the log has it, if the index has another. */
  readonly current: Current;
}

/** What a seller says of its listing, on its way to the shared log. */
export interface DescribeRequest {
  readonly description: SellerDescription;
  readonly current: Current;
}

/** A proof on its way to the shared log. */
export interface ProposeProofRequest {
  readonly request: RecordRequest;
  readonly current: Current;
}

/** The listing is gone, or has another owner. */
export interface Gone {
  readonly code: 'gone';
}

const GONE: Gone = { code: 'gone' };

/** Carries out the catalog's operations on a store. */
export interface Operations extends Pages {
  /** Returns undefined if the resource was listed. */
  submit(submission: Submission): CatalogRefusal | undefined;
  /** Returns what is to be written to the shared log. */
  propose(request: ProposeRequest): Proposal | CatalogRefusal;
  proposeDescription(request: DescribeRequest): Proposal | CatalogRefusal;
  apply(batch: LogBatch): Standing;
  prepare(batch: ListingBatch): PreparedListings;
  fill(listings: PreparedListings): Standing;
  writeFill(): Standing;
  standing(): Standing;
  /** Returns the number of all listings. */
  count(): { listings: number };
  /** Writes something. Throws if the file does not take it. */
  checkWritable(): void;
  unproven(request: UnprovenRequest): readonly Unproven[];
  endingProofs(request: EndingRequest): EndingPage;
  recordProof(request: RecordRequest): boolean;
  /** Returns what is to be written to the shared log. */
  proposeProof(request: ProposeProofRequest): Proposal | Gone;
  /** Carries out what the catalog's keeper asks of the store. */
  keeperRead(call: KeeperCall): unknown;
  keeperWrite(call: KeeperCall): unknown;
}

export interface Rules {
  /** Allows listings whose URL names a host that is not on the public internet. True by default. */
  readonly allowsPrivateAddresses?: boolean | undefined;
}

export function createOperations(store: Store, { allowsPrivateAddresses = true }: Rules = {}): Operations {
  function read({ extensionsText, resource, ...settlement }: Submission): Settlement | CatalogRefusal {
    const { bazaar } = JSON.parse(extensionsText) as { bazaar: unknown };
    const declaration = readDeclaration(bazaar, resource, allowsPrivateAddresses);
    return 'code' in declaration ? declaration : { ...settlement, declaration };
  }

  // The argument fits the method: both come from one call.
  const keep = ({ method, argument }: KeeperCall): unknown => store.keeper[method](argument as never);

  return {
    submit(submission) {
      const settlement = read(submission);
      if ('code' in settlement) return settlement;
      const [result] = store.put([settlement]);
      if (result === 'owned by another') return OWNED_BY_OTHER;
      if (result === 'blocked' || result === 'hidden') return NOT_SHOWN;
      return result === 'too many new' ? TOO_MANY_NEW : undefined;
    },

    propose({ submission, current }) {
      const settlement = read(submission);
      if ('code' in settlement) return settlement;
      const proposal = store.propose(settlement, current);
      return proposal === 'owned by another' ? OWNED_BY_OTHER : proposal;
    },

    proposeDescription({ description, current }) {
      const proposal = store.proposeDescription(description, current);
      return proposal === 'unknown' ? OWNED_BY_OTHER : proposal;
    },

    apply: store.apply,
    prepare: store.prepare,
    fill: store.fill,
    writeFill: store.writeFill,
    standing: store.standing,

    ...createPages(store),
    count: () => ({ listings: store.list({}, 0, 0).total }),
    checkWritable: store.checkWritable,
    unproven: store.proofs.unproven,
    endingProofs: store.proofs.ending,
    recordProof: store.proofs.record,
    proposeProof({ request, current }) {
      const proposal = store.proposeProof(request, current);
      return proposal === 'gone' ? GONE : proposal;
    },
    keeperRead: keep,
    keeperWrite: keep,
  };
}

const OWNED_BY_OTHER = refuse(
  'bazaar_listing_owned_by_other_payee',
  'The listing of this resource belongs to another payTo, which was paid for it first. Settle with that payTo, or offer the resource at another URL.',
);
/** Gives neither the operator's reason nor who decided. */
export const NOT_SHOWN = refuse(
  'bazaar_listing_blocked',
  'This facilitator does not show this resource: its seller hides it, or the operator does not list it. Payments for it settle as always. Ask the operator if you think that this is wrong.',
);
export const TOO_MANY_NEW = refuse(
  'bazaar_too_many_new_listings',
  'This payTo has made as many new listings within the last hour as it may here. Its existing listings are refreshed as always. To list this resource, settle for it again later.',
);
