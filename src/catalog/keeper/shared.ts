import type { Query } from '../../store/postgres.ts';
import { SCHEMA } from '../../store/postgresSchema.ts';
import type { KeeperLimits } from '../limits.ts';
import { pageLimit, actOf } from './kept.ts';
import { createKeeper, type Keeper } from './keeper.ts';
import { listingsIn } from './sharedListings.ts';
import { keyOfBlock } from './target.ts';
import type {
  Block,
  BlockOutcome,
  BlockRequest,
  KeeperAct,
  KeeperReads,
  KeeperWrites,
  ListingOutcome,
} from './types.ts';

export interface SharedKeeperDeps {
  readonly query: Query;
  readonly limits: Pick<KeeperLimits, 'maxBlocks' | 'maxActs'>;
  /** The index of this instance; without one, listings are read from the database. */
  readonly index?: Pick<KeeperReads, 'listings' | 'listing'>;
  /** Waits until the index of this instance has reached this position. */
  readonly reached?: (position: number) => Promise<void>;
}

const KEEP_LISTING = `SELECT outcome, at FROM ${SCHEMA}.keep_listing($1, $2, $3)`;
const KEEP_BLOCK = `SELECT outcome, at FROM ${SCHEMA}.keep_block($1, $2, $3, $4, $5, $6)`;

/** Returns the keeper of a catalog that instances share. Its acts are entries of the log, which all instances follow. */
export function createSharedKeeper(deps: SharedKeeperDeps): Keeper {
  const { query, limits, index, reached = async () => {} } = deps;

  const actJson = (act: KeeperAct): string =>
    JSON.stringify({ ...act, atMs: Date.now(), keptActs: limits.maxActs });

  async function write(statement: string, values: readonly unknown[]): Promise<unknown> {
    const [row] = await query(statement, values);
    const { outcome, at } = row!;
    if (outcome === 'done') await reached(Number(at));
    return outcome;
  }

  const keepListing = async (id: number, action: string, act: KeeperAct): Promise<ListingOutcome> =>
    (await write(KEEP_LISTING, [id, action, actJson(act)])) as ListingOutcome;

  async function keepBlock({ target, act }: BlockRequest, isBlocked: boolean): Promise<BlockOutcome> {
    const { kind, value } = target;
    const values = [keyOfBlock(target), kind, value, isBlocked, limits.maxBlocks, actJson(act)];
    const outcome = await write(KEEP_BLOCK, values);
    return outcome === 'done' ? { listings: undefined } : (outcome as Exclude<BlockOutcome, object>);
  }

  const writes: KeeperWrites = {
    setHidden: ({ id, isHidden, act }) => keepListing(id, isHidden ? 'hide' : 'unhide', act),
    remove: ({ id, act }) => keepListing(id, 'remove', act),
    block: (request) => keepBlock(request, true),
    unblock: (request) => keepBlock(request, false),
  };
  const kept = actsIn(query);
  const { listings, listing } = index ?? listingsIn(query, kept.blocks);
  return createKeeper({ ...kept, listings, listing }, writes);
}

const BLOCKS = `
  SELECT kind, value, since_ms FROM ${SCHEMA}.keeper_block WHERE is_active ORDER BY since_ms, key`;

const ACTS = `
  SELECT * FROM ${SCHEMA}.keeper_act WHERE $1::bigint IS NULL OR id < $1 ORDER BY id DESC LIMIT $2`;

const ACTS_OF = `
  SELECT * FROM ${SCHEMA}.keeper_act WHERE listing = $1 OR target = ANY ($2) ORDER BY id DESC LIMIT $3`;

function actsIn(query: Query): Pick<KeeperReads, 'blocks' | 'acts' | 'actsOf'> {
  return {
    async blocks() {
      const rows = await query(BLOCKS);
      return rows.map(({ kind, value, since_ms: sinceMs }) => ({
        kind: kind as Block['kind'],
        value: String(value),
        since: new Date(Number(sinceMs)),
      }));
    },
    async acts({ before, limit }) {
      return (await query(ACTS, [before, pageLimit(limit)])).map(actOf);
    },
    async actsOf({ listing, keys }) {
      return (await query(ACTS_OF, [listing, keys, pageLimit(Infinity)])).map(actOf);
    },
  };
}
