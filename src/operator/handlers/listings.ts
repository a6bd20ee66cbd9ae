import type { Catalog } from '../../catalog/index.ts';
import type { OperatorErrorCode, OperatorHandlers, OperatorRefusal, ShownAct } from '../../contract/index.ts';
import { baseAddress, isRecipient as isRecipientAddress } from '../../stellar/addresses.ts';
import { known } from '../known.ts';
import { refuse } from '../refusal.ts';

type Keeper = Catalog['keeper'];
type KeeperRefusal = Extract<Awaited<ReturnType<Keeper['show']>>, { code: string }>;
type RecordedAct = Awaited<ReturnType<Keeper['acts']>>[number];

type ListingHandlers = Pick<
  OperatorHandlers,
  'listListings' | 'getListing' | 'actOnListing' | 'listBlocks' | 'actOnBlock' | 'listActs'
>;

const DEFAULT_ACTOR = 'operator';

/** Lets the operator keep listings and sellers out of the catalog. */
export function createListingHandlers(keeper: Keeper): ListingHandlers {
  return {
    async listListings({ query: { hidden: isHidden, ...query } }) {
      const page = await keeper.list({ ...query, isHidden });
      if ('code' in page) return refused(page);
      const listings = page.listings.map((listing) =>
        known({ ...listing, blockedBy: [...listing.blockedBy] }),
      );
      return { status: 200, body: known({ listings, next: page.next }) };
    },
    async getListing({ path: { id } }) {
      const found = await keeper.show(id);
      if ('code' in found) return refused(found);
      const { listing, item, acts } = found;
      const shown = known({ ...listing, blockedBy: [...listing.blockedBy] });
      return { status: 200, body: known({ listing: shown, item, acts: acts.map(shownAct) }) };
    },
    async actOnListing({ path: { id }, body: { action, reason, actor = DEFAULT_ACTOR } }) {
      const refusal = await keeper[action](id, { reason, actor, source: 'console' });
      return refusal === undefined ? { status: 204, body: undefined } : refused(refusal);
    },
    async listBlocks() {
      const blocks = await keeper.blocks();
      return {
        status: 200,
        body: {
          blocks: blocks.map(({ kind, value, since }) => ({ kind, value, since: since.toISOString() })),
        },
      };
    },
    async actOnBlock({ body: { action, kind, value, reason, actor = DEFAULT_ACTOR } }) {
      const isRecipient = kind === 'recipient';
      if (isRecipient && !isRecipientAddress(value))
        return refuse('op_invalid_request', 'value must be an address: G…, C…, M… or W….');
      const target = { kind, value: isRecipient ? baseAddress(value) : value };
      const blocked = await keeper[action](target, { reason, actor, source: 'console' });
      return 'code' in blocked ? refused(blocked) : { status: 200, body: known(blocked) };
    },
    async listActs({ query }) {
      const acts = await keeper.acts(query);
      return { status: 200, body: { acts: acts.map(shownAct) } };
    },
  };
}

const CODE_OF: Readonly<Record<KeeperRefusal['code'], OperatorErrorCode>> = {
  keeper_invalid_act: 'op_invalid_request',
  keeper_invalid_target: 'op_invalid_request',
  keeper_unknown_listing: 'op_not_found',
  keeper_already_done: 'op_conflict',
  keeper_not_blocked: 'op_conflict',
  keeper_too_many_blocks: 'op_conflict',
};

const refused = ({ code, message }: KeeperRefusal): OperatorRefusal => refuse(CODE_OF[code], message);

const shownAct = ({ at, ...act }: RecordedAct): ShownAct => known({ ...act, at: at.toISOString() });
