/** Reads a list page after page. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiError, type Api, type Query } from './api.ts';

const ROWS_WANTED = 50;
/** A page may be short although others follow. So many are asked for before the reader is asked whether to go on. */
const PAGES_AT_ONCE = 20;
/** How often the first rows are read again if one page has them. What takes more pages costs more, and is read less. */
const REFRESH_EVERY_MS = 2_000;

/** Says where a list is, and reads its answers. */
export interface Source<Row> {
  readonly path: string;
  /** The parameter that says where a page begins. */
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
  /** How many pages it took. */
  readonly pages: number;
  /** What `pulse` was before; undefined if the reading failed. */
  readonly pulse: string | undefined;
}

const NOTHING: Read<never> = { rows: [], next: undefined, pages: 1, pulse: undefined };

/** Reads on until there are enough rows, or none are left, or it took many pages. */
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
 * Reads the first rows, and again whenever `pulse` changes, until the reader asks for more: then what is read stays as it
 * is. Reads nothing while there are no filters.
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
