import type { DatabaseSync } from 'node:sqlite';
import { MAX_EARLIER_WORDINGS, RETRIEVAL_CAP_POSTINGS } from '../limits.ts';
import { IMPORTED } from '../facets.ts';
import type { Filters } from '../requests.ts';
import { createBest, type Hit } from '../search/best.ts';
import type { Position, Snapshot } from '../search/cursor.ts';
import { lengthNorm } from '../search/ranking.ts';
import { createBlockRanking } from './blockRanking.ts';
import { blockOf } from './blocks.ts';
import { earlierWordingsIn } from './earlierWordings.ts';
import { createHidden } from './hidden.ts';
import { createMatching } from './matching.ts';
import { createMembers } from './members.ts';
import { queryWordsOf, underCap } from './queryWords.ts';
import { createSources } from './sources.ts';

export interface Found {
  /** Best first. One hit more than asked for shows that another page follows. */
  readonly hits: readonly Hit[];
  readonly snapshot: Snapshot;
  /** True if the retrieval cap left matches out. */
  readonly capped: boolean;
}

/** A ranking depends on these. */
export interface State {
  listings: number;
  tokens: number;
  /** Counts the listings that were reworded. */
  clock: number;
}

/**
 * Finds the `limit + 1` best listings with any of `tokens` that match filters, block by block. Returns undefined if the walk
 * that stands at `after` has expired.
 */
export function createSearch(db: DatabaseSync, retrievalCap = RETRIEVAL_CAP_POSTINGS) {
  const selectState = db.prepare('SELECT listings, tokens, clock FROM state');
  const selectWord = db.prepare('SELECT id, listings FROM word WHERE word = ?');
  const openSource = createSources(db);
  const matching = createMatching(db);
  const wordingsSince = earlierWordingsIn(db);
  const rank = createBlockRanking(db);
  const hidden = createHidden(db);
  const membersOf = createMembers(db);

  return (
    tokens: readonly string[],
    filters: Filters,
    limit: number,
    after: Position | undefined,
  ): Found | undefined => {
    const now = selectState.get() as unknown as State;
    const rows = tokens.map((word) => selectWord.get(word) as { id: number; listings: number } | undefined);
    const snapshot = after?.snapshot ?? {
      ...now,
      matches: rows.map((row) => row?.listings ?? 0),
    };
    if (hasExpired(snapshot, now, tokens.length)) return undefined;

    const asked = queryWordsOf(tokens, rows, snapshot);
    const { kept, lastListing, capped } = underCap(asked, snapshot.listings, retrievalCap);
    const members = matching(filters);
    if (members === undefined) return { hits: [], snapshot, capped };

    const lastBlock = blockOf(lastListing);
    const best = createBest(limit + 1, after);
    const walk = {
      words: kept.map((word) => ({ ...word, source: openSource(word.id, word.matches, lastBlock) })),
      earlier: wordingsSince(snapshot.clock, kept),
      members,
      hidden,
      imported: membersOf(IMPORTED),
      norm: lengthNorm(snapshot),
      best,
      lastListing,
    };
    for (let block = 0; block <= lastBlock; block += 1) rank(block, walk);
    return { hits: best.hits(), snapshot, capped };
  };
}

/** True if the walk needs wordings that have been forgotten, or if the query has a different number of words. */
function hasExpired(snapshot: Snapshot, now: State, words: number): boolean {
  return (
    snapshot.clock < now.clock - MAX_EARLIER_WORDINGS ||
    isAheadOf(now, snapshot) ||
    snapshot.matches.length !== words
  );
}

/** True if the catalog is an older copy than the walk knew. */
export function isAheadOf(
  now: Pick<State, 'listings' | 'clock'>,
  { clock, listings }: Pick<State, 'listings' | 'clock'>,
): boolean {
  return clock > now.clock || listings > now.listings;
}
