/** Counts what each party of the payments in a line holds, and remembers whose turn was when. */

/** The parties of a payment. */
export interface Names {
  readonly payer: string;
  readonly recipient: string;
  /** The caller that sent it. Payments without a sender count as those of one. */
  readonly sender?: string | undefined;
}

export const KINDS = ['sender', 'payer', 'recipient'] as const;
export type Kind = (typeof KINDS)[number];
export type Parties = Readonly<Record<Kind, Party>>;

/** A payer, a recipient or a sender. It is kept while its payments wait or have what they waited for. */
export interface Party {
  readonly name: string;
  places: number;
  /** The number of its payments that have what they waited for. */
  having: number;
  /** The number of the last turn: its own, or anybody's when this party joined. */
  served: number;
}

export interface KnownParties {
  of(names: Names): Parties;
  /** Adds to what the parties hold. */
  change(parties: Parties, by: { places?: number; having?: number }): void;
  /** Records that a payment of these parties has its turn. */
  serve(parties: Parties): void;
}

export function createKnownParties(): KnownParties {
  const known: Record<Kind, Map<string, Party>> = {
    sender: new Map(),
    payer: new Map(),
    recipient: new Map(),
  };
  let turns = 0;

  const partyOf = (kind: Kind, name: string): Party =>
    known[kind].get(name) ?? { name, places: 0, having: 0, served: turns };

  function change(parties: Parties, by: { places?: number; having?: number }): void {
    for (const kind of KINDS) {
      const party = parties[kind];
      party.places += by.places ?? 0;
      party.having += by.having ?? 0;
      if (party.places + party.having > 0) known[kind].set(party.name, party);
      else known[kind].delete(party.name);
    }
  }

  return {
    of: ({ payer, recipient, sender = '' }) => ({
      sender: partyOf('sender', sender),
      payer: partyOf('payer', payer),
      recipient: partyOf('recipient', recipient),
    }),
    change,
    serve(parties) {
      turns += 1;
      for (const kind of KINDS) parties[kind].served = turns;
      change(parties, { having: 1 });
    },
  };
}

/** Says in which order payments come. The result is negative if `one` comes before `other`. */
export type Order = (one: Parties, other: Parties) => number;

/**
 * The payment comes first whose sender and payer have both waited longest. So no sender gains turns by more payers, and
 * no payer by more senders. If they are equal, the sender with fewer payments comes first. Recipients take turns only
 * among a sender's payments: a recipient costs nothing to invent, and a shop that many callers pay is not slower.
 */
export const sendersAndPayersAlike: Order = (one, other) =>
  Math.max(one.sender.served, one.payer.served) - Math.max(other.sender.served, other.payer.served) ||
  weightOf(one.sender) - weightOf(other.sender) ||
  byPayerAndRecipient(one, other);

/**
 * The sender whose last turn is longest ago comes first, then the sender with fewer payments. It decides before payer
 * and recipient do: in a payment that is not verified yet, anybody can name any.
 */
export const sendersFirst: Order = (one, other) =>
  one.sender.served - other.sender.served ||
  weightOf(one.sender) - weightOf(other.sender) ||
  byPayerAndRecipient(one, other);

/**
 * The pair of payer and recipient whose last turn is longest ago comes first, then the pair with fewer payments, then
 * the payer whose last turn is longest ago.
 */
const byPayerAndRecipient: Order = (one, other) =>
  latest(one) - latest(other) ||
  weightOfBoth(one) - weightOfBoth(other) ||
  one.payer.served - other.payer.served;

const weightOf = ({ places, having }: Party): number => places + having;

const weightOfBoth = ({ payer, recipient }: Parties): number => weightOf(payer) + weightOf(recipient);

const latest = ({ payer, recipient }: Parties): number => Math.max(payer.served, recipient.served);
