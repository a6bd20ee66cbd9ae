import type { HonestKind } from './honest.ts';
import type { Payers } from './payers.ts';

/** Counts the outcomes of the requests by name, for the report. */
export type Counts = Record<string, number>;

export interface Target {
  port: number;
}

/** An attack ends by itself after so many seconds. */
export interface Timed {
  seconds: number;
}

/**
 * An attack sends its requests while honest callers ask theirs. `send` runs in a process of its own
 * (servers/attacker.ts), so that it takes no time from the honest callers.
 */
export interface Attack<Size extends Timed = Timed> {
  /** The file beside this one that holds it. */
  file: string;
  title: string;
  /** A sentence for the report. */
  describe(size: Size): string;
  full: Size;
  /** For rehearsals and tests. */
  short: Size;
  honest: readonly HonestKind[];
  submitters: number;
  /** The RPC delays each of its answers by this time. */
  rpcDelayMs: number;
  /** Attacks on discovery need a catalog, which the peer does not have. */
  fillCatalog?(path: string, size: Size): void;
  /** Signed before the attack begins: request bodies, as JSON. */
  prepare?(payers: Payers, size: Size): Promise<string[]>;
  send(target: Target, size: Size, bodies: readonly string[]): Promise<Counts>;
}
