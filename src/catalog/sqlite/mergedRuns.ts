import { NUMBERS_PER_LISTING, type Run, type RunKind } from './run.ts';

/** The merged entries of several runs for one word or facet. */
export interface MergedEntry {
  readonly text: string;
  readonly listings: number;
  /** In order of blocks, and of listings within one. */
  readonly parts: readonly RunPart[];
}

/** The entries of one run for a word or facet: its numbers from an index on. */
export interface RunPart {
  readonly run: Run;
  readonly from: number;
  readonly listings: number;
}

/** Yields the words or facets of runs in order of their texts. The runs are given in order of their listings. */
export function* mergedRuns(kind: RunKind, runs: readonly Run[]): Generator<MergedEntry> {
  const perListing = NUMBERS_PER_LISTING[kind];
  // A heap: each cursor stands at or before those at twice its index plus one and plus two.
  const heap: Cursor[] = [];
  for (const [order, run] of runs.entries()) if (run.counts.length > 0) heap.push(cursorAt(run, order));
  for (let at = heap.length >> 1; at >= 0; at--) sink(heap, at);

  while (heap.length > 0) {
    const { text } = heap[0]!;
    const parts: RunPart[] = [];
    let listings = 0;
    while (heap.length > 0 && heap[0]!.text === text) {
      const cursor = heap[0]!;
      const { run, nth, from } = cursor;
      const count = run.counts[nth]!;
      const to = from + perListing * count;
      parts.push({ run, from, listings: count });
      listings += count;
      if (!advance(cursor, to)) {
        const last = heap.pop()!;
        if (last !== cursor) heap[0] = last;
      }
      sink(heap, 0);
    }
    yield { text, listings, parts };
  }
}

const LINE_FEED = 0x0a;

/** Stands at a word or facet of a run. */
interface Cursor {
  readonly run: Run;
  /** The run's place among the runs. */
  readonly order: number;
  nth: number;
  text: string;
  /** The index of its first number. */
  from: number;
  readonly texts: Buffer;
  /** The index after its last text. */
  end: number;
}

function cursorAt(run: Run, order: number): Cursor {
  const { buffer, byteOffset, byteLength } = run.texts;
  const texts = Buffer.from(buffer, byteOffset, byteLength);
  const end = endOfLine(texts, 0);
  return { run, order, texts, nth: 0, text: texts.toString('utf8', 0, end), from: 0, end };
}

/** Goes to the next word or facet. Returns false if there is none. */
function advance(cursor: Cursor, from: number): boolean {
  const { texts } = cursor;
  if ((cursor.nth += 1) === cursor.run.counts.length) return false;
  const start = cursor.end + 1;
  cursor.end = endOfLine(texts, start);
  cursor.text = texts.toString('utf8', start, cursor.end);
  cursor.from = from;
  return true;
}

function endOfLine(texts: Buffer, start: number): number {
  const end = texts.indexOf(LINE_FEED, start);
  return end === -1 ? texts.length : end;
}

function sink(heap: Cursor[], start: number): void {
  const cursor = heap[start];
  if (cursor === undefined) return;
  let at = start;
  for (;;) {
    let child = 2 * at + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child += 1;
    if (!isBefore(heap[child]!, cursor)) break;
    heap[at] = heap[child]!;
    at = child;
  }
  heap[at] = cursor;
}

function isBefore(one: Cursor, other: Cursor): boolean {
  return one.text === other.text ? one.order < other.order : one.text < other.text;
}
