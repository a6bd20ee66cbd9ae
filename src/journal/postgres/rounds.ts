/** Asks the database about the leases, one round at a time: an answer that comes late must not undo a later one. */
export interface Rounds {
  /** Makes a round after all others. Never rejects. */
  inTurn(round: () => Promise<void>): Promise<void>;
  /** Resolves once the last round is over. */
  ended(): Promise<void>;
}

interface RoundsDeps {
  log: { warn(fields: object, message: string): void };
  /** Hears of each round that fails, and for how long rounds have failed by then. */
  onFailure: (failsForMs: number) => void;
}

export function createRounds({ log, onFailure }: RoundsDeps): Rounds {
  /** When leasing began to fail; undefined while it works. */
  let failsSinceMs: number | undefined;
  let rounds: Promise<void> = Promise.resolve();

  function failed(err: unknown): void {
    if (failsSinceMs === undefined) log.warn({ err }, 'channel accounts cannot be leased');
    failsSinceMs ??= performance.now();
    onFailure(performance.now() - failsSinceMs);
  }

  return {
    inTurn(round) {
      rounds = rounds
        .then(round)
        .then(() => (failsSinceMs = undefined))
        .catch(failed);
      return rounds;
    },
    ended: () => rounds,
  };
}
