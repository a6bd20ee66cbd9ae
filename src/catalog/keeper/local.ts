import { setTimeout as sleep } from 'node:timers/promises';
import type { KeeperLimits } from '../limits.ts';
import { createKeeper, type Keeper } from './keeper.ts';
import type { AskKeeper } from './store.ts';
import { keyOfBlock, type BlockTarget } from './target.ts';
import type { BlockOutcome, BlockRequest, KeeperReads, KeeperWrites, Progress } from './types.ts';

export interface LocalKeeperDeps {
  read: AskKeeper;
  write: AskKeeper;
  limits: Pick<KeeperLimits, 'hiddenPerStep' | 'revealedPerStep'>;
  /** Pause between two steps, for another process that writes the file. */
  pauseMs?: number;
}

/** Returns the keeper of a catalog that is kept in its file alone. Blocks hide and show listings in bounded steps. */
export function createLocalKeeper({ read, write, limits, pauseMs = 0 }: LocalKeeperDeps): Keeper {
  /** Takes steps over the listings that a block covers. While it is in force, there are no new ones. */
  async function inSteps(
    target: BlockTarget,
    { perStep, step }: { perStep: number; step: (ids: readonly number[]) => Promise<void> },
    onProgress: Progress,
  ): Promise<BlockOutcome> {
    const covered = await read('covered', target);
    if (covered === 'not blocked') return covered;
    for (let done = 0; done < covered.length;) {
      const ids = covered.slice(done, done + perStep);
      await step(ids);
      done += ids.length;
      onProgress(done, covered.length);
      if (pauseMs > 0 && done < covered.length) await sleep(pauseMs);
    }
    return { listings: covered.length };
  }

  async function block(request: BlockRequest, onProgress: Progress): Promise<BlockOutcome> {
    const begun = await write('block', request);
    if (begun === 'too many blocks') return begun;
    const step = (ids: readonly number[]) => write('hide', { ids });
    return inSteps(request.target, { perStep: limits.hiddenPerStep, step }, onProgress);
  }

  async function unblock(request: BlockRequest, onProgress: Progress): Promise<BlockOutcome> {
    const { target } = request;
    const step = (ids: readonly number[]) => write('reveal', { ids, lifted: target });
    const outcome = await inSteps(target, { perStep: limits.revealedPerStep, step }, onProgress);
    // The block ends last, so that an unblock that is cut off can be repeated.
    if (typeof outcome !== 'string') await write('unblock', request);
    return outcome;
  }

  const inTurn = createTurns();
  const writes: KeeperWrites = {
    setHidden: (request) => write('setHidden', request),
    remove: (request) => write('remove', request),
    block: (request, onProgress) => inTurn(request.target, () => block(request, onProgress)),
    unblock: (request, onProgress) => inTurn(request.target, () => unblock(request, onProgress)),
  };
  return createKeeper(readsOf(read), writes);
}

/** Returns a function that does work on a target after earlier work on it: steps of two would hide what neither covers. */
function createTurns() {
  const latest = new Map<string, Promise<unknown>>();
  return async <Result>(target: BlockTarget, work: () => Promise<Result>): Promise<Result> => {
    const key = keyOfBlock(target);
    const before = latest.get(key) ?? Promise.resolve();
    const done = before.then(work, work);
    latest.set(key, done);
    try {
      return await done;
    } finally {
      if (latest.get(key) === done) latest.delete(key);
    }
  };
}

/** Reads from the file, whether it is a catalog of its own or an index. */
export function readsOf(read: AskKeeper): KeeperReads {
  return {
    listings: (request) => read('listings', request),
    listing: (id) => read('listing', id),
    blocks: () => read('blocks', undefined),
    records: (request) => read('records', request),
    recordsOf: (about) => read('recordsOf', about),
  };
}
