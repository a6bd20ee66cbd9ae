import type { DatabaseSync } from 'node:sqlite';
import { blockOf, placeOf } from './blocks.ts';
import { lengthRows } from './indexRows.ts';
import type { Run } from './run.ts';
import { createRunsWriter } from './runsWriter.ts';

/**
 * Makes the index of listings that come in order of their ids. Gathers the runs of many blocks, and then writes each row
 * once, in the order in which the rows stand in the file. More can be gathered while that is being written.
 */
export interface IndexFill {
  /** The bytes of the whole blocks that are gathered, without what is being written. */
  readonly bytes: number;
  readonly isWriting: boolean;
  /** Says how long a listing is. `add` writes it. */
  setLength(listing: number, length: number): void;
  /** Gathers words and facets. */
  add(runs: readonly BlockRuns[]): void;
  /** Takes the block under way for whole: no listings follow. */
  end(): void;
  /** Writes at least `rows` rows, within the caller's transaction. Begins with what is gathered once all else is written. */
  write(rows: number): void;
}

/** The words and facets of listings of one block. */
export interface BlockRuns {
  readonly words: Run;
  readonly facets: Run;
}

export function createIndexFill(db: DatabaseSync): IndexFill {
  const lengths = lengthRows(db);
  const writeRuns = createRunsWriter(db);
  /** Blocks that are whole, and the one under way: a row is written once, with all listings of its block. */
  let whole: BlockRuns[] = [];
  let underWay: BlockRuns[] = [];
  let bytes = 0;
  let writing: Generator<number, void> | undefined;

  function begin(): Generator<number, void> {
    const begun = writeRuns(whole);
    whole = [];
    bytes = 0;
    return begun;
  }

  function end(): void {
    for (const { words, facets } of underWay) bytes += bytesIn(words) + bytesIn(facets);
    whole.push(...underWay);
    underWay = [];
  }

  return {
    get bytes() {
      return bytes;
    },
    get isWriting() {
      return writing !== undefined;
    },
    setLength(listing, length) {
      lengths.get(blockOf(listing))[placeOf(listing)] = length;
    },
    add(runs) {
      for (const run of runs) {
        if (underWay[0] !== undefined && underWay[0].words.block !== run.words.block) end();
        underWay.push(run);
      }
      lengths.flush();
    },
    end,
    write(rows) {
      writing ??= begin();
      for (let left = rows; left > 0;) {
        const { done, value }: IteratorResult<number, void> = writing.next();
        if (done === true) return void (writing = undefined);
        left -= value;
      }
    },
  };
}

const bytesIn = ({ texts, counts, numbers }: Run): number =>
  texts.byteLength + counts.byteLength + numbers.byteLength;
