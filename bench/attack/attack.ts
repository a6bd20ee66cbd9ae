import type { HonestKind } from './honest.ts';
import type { Payers } from './payers.ts';

/** What became of what was sent: numbers by name, for the report. */
export type Counts = Record<string, number>;

export interface Target {
  port: number;
}

/** An attack ends by itself after so many seconds. */
export interface Timed {
  seconds: number;
}

/**
 * What is sent, and what honest callers ask meanwhile. `send` runs in a process of its own (servers/attacker.ts), so
 * that sending takes no time from the honest callers.
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
  /** How much later every answer of the RPC comes. */
  rpcDelayMs: number;
  /** Attacks on discovery need a catalog, which the peer does not have. */
  fillCatalog?(path: string, size: Size): void;
  /** Signed before the attack begins: request bodies, as JSON. */
  prepare?(payers: Payers, size: Size): Promise<string[]>;
  send(target: Target, size: Size, bodies: readonly string[]): Promise<Counts>;
}
