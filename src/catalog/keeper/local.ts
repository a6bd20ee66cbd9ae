import { setTimeout as sleep } from 'node:timers/promises';
import type { KeeperLimits } from '../limits.ts';
import { createKeeper, type Keeper } from './keeper.ts';
import type { AskKeeper, UnfinishedBlock } from './store.ts';
import type { BlockOutcome, BlockRequest, KeeperReads, KeeperWrites, Progress } from './types.ts';

export interface LocalKeeperDeps {
  read: AskKeeper;
  write: AskKeeper;
  limits: Pick<KeeperLimits, 'listingsPerStep'>;
  /** Pause before each write but the first, for another process that writes the file. */
  pauseMs?: number;
}

export interface LocalKeeper extends Keeper {
  /** Returns the blocks and ends of blocks that were cut off, or are under way. */
  unfinishedBlocks(): Promise<UnfinishedBlock[]>;
  finish(blocks: readonly UnfinishedBlock[]): Promise<void>;
}

/** Returns the keeper of a catalog that is kept in its file alone. Blocks hide and show listings in bounded steps. */
export function createLocalKeeper({ read, write, limits, pauseMs = 0 }: LocalKeeperDeps): LocalKeeper {
  /** Takes steps over the listings that a block covers, until all have followed it or a later act takes over. */
  async function carryOut(block: UnfinishedBlock, onProgress: Progress): Promise<BlockOutcome> {
    const covered = await read('covered', { kind: block.kind, value: block.value });
    for (let done = 0; done < covered.length;) {
      if (pauseMs > 0) await sleep(pauseMs);
      const ids = covered.slice(done, done + limits.listingsPerStep);
      if (!(await write('step', { block, ids }))) return { listings: covered.length };
      done += ids.length;
      onProgress(done, covered.length);
    }
    if (pauseMs > 0) await sleep(pauseMs);
    await write('finish', block);
    return { listings: covered.length };
  }

  async function act(
    method: 'block' | 'unblock',
    request: BlockRequest,
    onProgress: Progress,
  ): Promise<BlockOutcome> {
    const begun = await write(method, request);
    return typeof begun === 'string' ? begun : carryOut(begun, onProgress);
  }

  const writes: KeeperWrites = {
    setHidden: (request) => write('setHidden', request),
    remove: (request) => write('remove', request),
    block: (request, onProgress) => act('block', request, onProgress),
    unblock: (request, onProgress) => act('unblock', request, onProgress),
  };
  return {
    ...createKeeper(readsOf(read), writes),
    unfinishedBlocks: () => read('unfinished', undefined),
    async finish(blocks) {
      for (const block of blocks) await carryOut(block, () => {});
    },
  };
}

/** Reads from the file, whether it is a catalog of its own or an index. */
export function readsOf(read: AskKeeper): KeeperReads {
  return {
    listings: (request) => read('listings', request),
    listing: (id) => read('listing', id),
    blocks: () => read('blocks', undefined),
    acts: (request) => read('acts', request),
    actsOf: (about) => read('actsOf', about),
  };
}
