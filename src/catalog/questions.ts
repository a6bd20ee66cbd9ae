import type { Caller, Encoded } from '../contract/index.ts';
import type { Catalog } from './catalog.ts';
import type { CatalogLimits } from './limits.ts';
import type { CatalogObserver } from './observer.ts';
import type { CursorRefusal, Part } from './pages.ts';
import type { Pool, Wait } from './pool.ts';
import { OVERLOADED, type Overloaded } from './queue.ts';
import type { SearchRequest } from './requests.ts';
import type { Follower } from './shared/follower.ts';

interface QuestionsDeps {
  readers: Pick<Pool, 'ask'>;
  /** Answer searches. */
  rankers: Pick<Pool, 'ask'>;
  /** Undefined if no instances share the catalog. */
  follower: Pick<Follower, 'standing' | 'reached'> | undefined;
  observer: Pick<CatalogObserver, 'answered'>;
  limits: Pick<CatalogLimits, 'cursorWaitMs'>;
}

/** Answers lists and searches from the threads that read. */
export function createQuestions(deps: QuestionsDeps): Pick<Catalog, 'list' | 'search'> {
  const { readers, rankers, follower, observer, limits } = deps;

  /** Asks again, for a while, if the cursor comes from an instance whose index was ahead of this one. */
  async function found(request: SearchRequest, wait: Wait): Promise<Part | Overloaded | CursorRefusal> {
    const giveUpAtMs = performance.now() + limits.cursorWaitMs;
    for (;;) {
      const from = follower?.standing.position ?? 0;
      const part = await rankers.ask('search', request, wait);
      const leftMs = giveUpAtMs - performance.now();
      if (follower === undefined || !('isAhead' in part) || leftMs <= 0) return part;
      await follower.reached(from + 1, leftMs);
    }
  }

  async function timed<Answer>(operation: 'list' | 'search', answer: Promise<Answer>): Promise<Answer> {
    const askedAtMs = performance.now();
    try {
      return await answer;
    } finally {
      observer.answered(operation, performance.now() - askedAtMs);
    }
  }

  return {
    async list(request, caller) {
      if (follower?.standing.isWhole === false) return OVERLOADED;
      const part = await timed('list', readers.ask('list', request, waitOf(caller)));
      return 'code' in part ? part : encoded(readers, part, caller);
    },
    async search(request, caller) {
      if (follower?.standing.isWhole === false) return OVERLOADED;
      const part = await timed('search', found(request, waitOf(caller)));
      return 'code' in part ? part : encoded(readers, part, caller);
    },
  };
}

function encoded<Body>(readers: Pick<Pool, 'ask'>, part: Part, caller: Caller | undefined): Encoded<Body> {
  return part.rest === undefined
    ? { json: part.json }
    : { json: part.json, rest: restOf(readers, part.rest, caller) };
}

/** Yields the rest of a page. Reads each part only after the previous one has been taken. */
async function* restOf(
  readers: Pick<Pool, 'ask'>,
  rest: Part['rest'],
  caller: Caller | undefined,
): AsyncGenerator<Uint8Array> {
  for (let left = rest; left !== undefined;) {
    const part = await readers.ask('more', left, waitOf(caller));
    if ('code' in part) throw new Error('the catalog is overloaded');
    yield part.json;
    left = part.rest;
  }
}

/** Without a caller, the request comes from this process, which waits for the answer. */
function waitOf(caller: Caller | undefined): Wait {
  return caller === undefined ? {} : { caller: caller.name, gone: caller.gone };
}
