/** Reads a list page after page. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiError, type Api, type Query } from './api.ts';

const ROWS_WANTED = 50;
/** Pages may be short although others follow. After this many pages, the reader decides whether to go on. */
const PAGES_AT_ONCE = 20;
/** The first rows are read again this often if one page holds them. Rows from several pages are read less often. */
const REFRESH_EVERY_MS = 2_000;

/** Describes where a list is and how to read its answers. */
export interface Source<Row> {
  readonly path: string;
  /** The query parameter that says where a page begins. */
  readonly from: string;
  /** Returns a page's rows, and where the next one begins; undefined if nothing follows. */
  read(answer: never, limit: number): { rows: readonly Row[]; next: string | number | undefined };
}

export interface Pages<Row> {
  readonly rows: readonly Row[];
  readonly isLoading: boolean;
  readonly problem: string | undefined;
  /** Undefined if nothing follows. */
  readonly more: (() => void) | undefined;
  /** Reads the first rows again at once. */
  again(): void;
}

interface Read<Row> {
  readonly rows: readonly Row[];
  readonly next: string | number | undefined;
  /** The number of pages that were read for these rows. */
  readonly pages: number;
  /** The `pulse` for which these rows were read; undefined if the last attempt failed. */
  readonly pulse: string | undefined;
}

const NOTHING: Read<never> = { rows: [], next: undefined, pages: 1, pulse: undefined };

/** Reads pages until there are enough rows, none are left, or the limit of pages is reached. */
async function readOn<Row>(
  api: Api,
  source: Source<Row>,
  filters: Query,
  from: string | number | undefined,
  signal: AbortSignal,
): Promise<Omit<Read<Row>, 'pulse'>> {
  const rows: Row[] = [];
  let next = from;
  for (let pages = 1; ; pages += 1) {
    const limit = ROWS_WANTED - rows.length;
    const answer = await api.get<never>(source.path, { ...filters, limit, [source.from]: next }, signal);
    const page = source.read(answer, limit);
    rows.push(...page.rows);
    next = page.next;
    const isEnough = rows.length >= ROWS_WANTED || pages >= PAGES_AT_ONCE;
    if (next === undefined || isEnough) return { rows, next, pages };
  }
}

/**
 * Reads the first rows, and reads them again when `pulse` changes. Stops that once the reader asks for more rows, so that
 * the list does not move. Reads nothing if `filters` is undefined.
 */
export function usePages<Row>(
  api: Api,
  source: Source<Row>,
  filters: Query | undefined,
  pulse: string,
): Pages<Row> {
  const [read, setRead] = useState<Read<Row>>();
  const [isLoading, setLoading] = useState(true);
  const [problem, setProblem] = useState<string>();
  const [hasMore, setHasMore] = useState(false);
  const underWay = useRef<AbortController>(null);

  function load(from: Read<Row>['next'], kept: readonly Row[]): void {
    if (filters === undefined) return;
    underWay.current?.abort();
    const { signal } = (underWay.current = new AbortController());
    setLoading(true);
    readOn(api, source, filters, from, signal)
      .then((found) => {
        setRead({ ...found, rows: [...kept, ...found.rows], pulse });
        setProblem(undefined);
      })
      .catch((error: unknown) => {
        if (signal.aborted) return;
        setProblem((error as Error).message);
        const isForGood = error instanceof ApiError && error.status < 500;
        if (!isForGood) setRead((was: Read<Row> = NOTHING) => ({ ...was, pulse: undefined }));
      })
      .finally(() => signal.aborted || setLoading(false));
  }

  useEffect(() => {
    setRead(undefined);
    setProblem(undefined);
    setHasMore(false);
    load(undefined, []);
    return () => underWay.current?.abort();
  }, [JSON.stringify(filters)]);

  useEffect(() => {
    if (hasMore || read === undefined || read.pulse === pulse) return;
    const timer = setTimeout(() => load(undefined, []), REFRESH_EVERY_MS * read.pages ** 2);
    return () => clearTimeout(timer);
  }, [read?.pulse === pulse, read, hasMore]);

  const { rows = [], next } = read ?? {};
  const more = (): void => {
    setHasMore(true);
    load(next, rows);
  };
  const again = (): void => {
    setHasMore(false);
    load(undefined, []);
  };
  return { rows, isLoading, problem, more: next === undefined ? undefined : more, again };
}
