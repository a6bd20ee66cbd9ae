import type { ComponentChildren } from 'preact';
import type { Pages } from './pages.ts';

interface FoundProps {
  pages: Pages<unknown>;
  /** The number of rows that are shown. */
  count: number;
  words: FoundWords;
  children: ComponentChildren;
}

export interface FoundWords {
  /** Shown if the search is complete and found nothing. */
  readonly nothing: string;
  /** Shown if the search has found nothing yet. */
  readonly nothingYet: string;
  readonly more: string;
  readonly further: string;
}

/** Shows the rows of a list, or why there are none, and a button for more. */
export function Found({ pages, count, words, children }: FoundProps) {
  const { isLoading, problem, more } = pages;
  const nothing = isLoading ? 'Reading …' : more === undefined ? words.nothing : words.nothingYet;
  return (
    <>
      {count > 0 ? children : problem === undefined && <p class="empty">{nothing}</p>}
      {problem !== undefined && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      {more !== undefined && (
        <button type="button" class="more" onClick={more}>
          {count > 0 ? words.more : words.further}
        </button>
      )}
    </>
  );
}
