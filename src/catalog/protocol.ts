import type { ModelChoice } from './meaning/index.ts';
import type { Operations } from './operations.ts';
import type { FileName } from '../store/sqliteFile.ts';
import type { HybridProgress } from './store.ts';
import type { PreparedListings } from './sqlite/preparedListings.ts';

/** The options with which a thread is started. */
export interface ThreadOptions {
  readonly dbPath: string;
  /** True if it may write. It then also creates and migrates the file. */
  readonly writes: boolean;
  /** See `CatalogDeps`. */
  readonly newListingsPerHour?: number | undefined;
  readonly allowsPrivateAddresses?: boolean | undefined;
  /** The key of the shared log, if the file is an index of it. */
  readonly logKey?: Uint8Array | undefined;
  /** Given if it is to rank by meaning, too: the folder of a model, or the one that comes with the service. */
  readonly model?: ModelChoice | undefined;
  /** Number of requests that it holds at a time. */
  readonly atATime: number;
}

export type Operation = keyof Operations;

/** A request to a thread. Its answer has the same id. */
export interface Question {
  readonly id: number;
  readonly operation: Operation;
  readonly request: unknown;
}

/** A message to a thread. */
export type Message = Question | { readonly operation: 'close' };

/** Returns the buffers of prepared listings. A message hands them over, and copies all else. */
export function buffersOf({ rows, runs }: PreparedListings): ArrayBuffer[] {
  const views = runs
    .flatMap(({ words, facets }) => [words, facets])
    .flatMap((run) => [run.texts, run.counts, run.numbers]);
  return [rows.bytes, ...views].map(({ buffer }) => buffer as ArrayBuffer);
}

/** The answer to a question: a value, or the error that the operation threw. */
export type Answer =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: unknown };

/** A message from a thread. `unusable` says why a file cannot be used, `progress` what its index in memory has. */
export type Report =
  | Answer
  | { readonly ready: true }
  | { readonly unusable: string; readonly file: FileName }
  | { readonly progress: HybridProgress };
