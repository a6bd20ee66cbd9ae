/** A waiting payment: its parties, and the room that it takes. */
export interface Waiter {
  readonly payer: string;
  readonly payTo: string;
  /** The sender. It is named only before a payment is verified, when anybody can name any payer and recipient. */
  readonly sender?: string | undefined;
  /** One for each `bytesPerWaitingPayment` bytes that are kept while it waits. */
  readonly places: number;
  /** Waiting is of no use after this moment. */
  readonly deadline: number;
}

/** The parties of a payment. */
export type Names = Pick<Waiter, 'payer' | 'payTo' | 'sender'>;

/** The reason why a payment leaves the line without a turn. */
export type NotServed = 'no room' | 'too late';

/** A line for something that one payment has at a time: a submitter, or a place to verify. Payments take turns. */
export interface FairLine<Thing, Member extends Waiter = Waiter> {
  /** The number of waiting payments. */
  readonly length: number;
  wait(member: Member): Promise<Thing | NotServed>;
  /** Gives `thing` to the next member that may take it. Returns that member; undefined if there is none. */
  hand(thing: Thing, mayTake: (member: Member) => boolean): Member | undefined;
  /** True if the test holds for a waiting payment. */
  some(test: (member: Member) => boolean): boolean;
  /** Records that a payment of these parties got its turn without waiting. */
  admit(names: Names): void;
  /** Records that a payment of these parties has given back what it had, whether it waited or not. */
  leave(names: Names): void;
}

export interface FairLineLimits {
  /** The most places in all, and for any one payer or recipient. */
  maxPlaces: number;
  maxPlacesPerParty: number;
}

const KINDS = ['sender', 'payer', 'recipient'] as const;

interface Entry<Thing, Member> {
  readonly member: Member;
  readonly parties: Parties;
  leave(thing: Thing | NotServed): void;
}

/** A payer, a recipient or a sender. It is kept while its payments wait or have what they waited for. */
interface Party {
  readonly name: string;
  places: number;
  /** The number of its payments that have what they waited for. */
  having: number;
  /** The number of the last turn: its own, or anybody's when this party joined. */
  served: number;
}

type Kind = (typeof KINDS)[number];
type Parties = Readonly<Record<Kind, Party>>;

/**
 * Senders take turns. Among a sender's payments, the next one is the one whose payer and recipient have both waited
 * longest for a turn. So payers take turns, and so do recipients, however many payments of each wait. A full line
 * makes room for a newcomer at the expense of the party with the most places.
 */
export function createFairLine<Thing, Member extends Waiter = Waiter>(
  limits: FairLineLimits,
  now: () => number,
): FairLine<Thing, Member> {
  /** In order of arrival. */
  const entries: Entry<Thing, Member>[] = [];
  const known: Record<Kind, Map<string, Party>> = {
    sender: new Map(),
    payer: new Map(),
    recipient: new Map(),
  };
  let places = 0;
  let services = 0;

  const partyOf = (kind: Kind, name: string): Party =>
    known[kind].get(name) ?? { name, places: 0, having: 0, served: services };

  const partiesOf = ({ payer, payTo, sender = '' }: Names): Parties => ({
    sender: partyOf('sender', sender),
    payer: partyOf('payer', payer),
    recipient: partyOf('recipient', payTo),
  });

  function keep(kind: Kind, party: Party): void {
    if (party.places + party.having > 0) known[kind].set(party.name, party);
    else known[kind].delete(party.name);
  }

  function change(parties: Parties, by: { places?: number; having?: number }): void {
    for (const kind of KINDS) {
      const party = parties[kind];
      party.places += by.places ?? 0;
      party.having += by.having ?? 0;
      keep(kind, party);
    }
  }

  function enter(member: Member, leave: Entry<Thing, Member>['leave']): Entry<Thing, Member> {
    const entry = { member, parties: partiesOf(member), leave };
    change(entry.parties, { places: member.places });
    places += member.places;
    entries.push(entry);
    return entry;
  }

  function remove(entry: Entry<Thing, Member>): boolean {
    const at = entries.indexOf(entry);
    if (at === -1) return false;
    entries.splice(at, 1);
    places -= entry.member.places;
    change(entry.parties, { places: -entry.member.places });
    return true;
  }

  function serve(parties: Parties): void {
    services += 1;
    for (const kind of KINDS) parties[kind].served = services;
    change(parties, { having: 1 });
  }

  /** Makes room for a newcomer if other parties hold more than its own would. False if there is no room. */
  function makeRoom(member: Member): boolean {
    const { payer, recipient } = partiesOf(member);
    const { maxPlaces, maxPlacesPerParty: most } = limits;
    if (payer.places + member.places > most) return false;
    const overOfRecipient = recipient.places + member.places - most;
    const over = places + member.places - maxPlaces;
    return (
      // One payer must not fill all places of a recipient: its payers share them.
      (overOfRecipient <= 0 || sendAway({ recipient }, ['payer'], overOfRecipient, member)) &&
      (over <= 0 || sendAway({}, KINDS, over, member))
    );
  }

  /**
   * Frees places, only among those of `recipient` if it is given. The newest payment of the party with the most places
   * leaves first. False if no party has more places than the newcomer's party of the same kind would have.
   */
  function sendAway(
    { recipient }: { recipient?: Party },
    kinds: readonly Kind[],
    wanted: number,
    member: Member,
  ): boolean {
    const among = recipient ? entries.filter(({ parties }) => parties.recipient === recipient) : entries;
    const held = recipient ? placesIn(among, kinds) : new Map<Party, number>();
    const placesOf = (party: Party): number => held.get(party) ?? (recipient ? 0 : party.places);
    const newcomer = partiesOf(member);
    const leaving = new Set<Entry<Thing, Member>>();
    for (let freed = 0; freed < wanted;) {
      const greediest = findGreediest(kinds, newcomer, member.places, placesOf);
      if (greediest === undefined) return false;
      const { kind, party } = greediest;
      const newest = among.findLast((entry) => entry.parties[kind] === party && !leaving.has(entry));
      if (newest === undefined) return false;
      leaving.add(newest);
      freed += newest.member.places;
      for (const each of kinds) {
        const of = newest.parties[each];
        held.set(of, placesOf(of) - newest.member.places);
      }
    }
    for (const entry of leaving) {
      remove(entry);
      entry.leave('no room');
    }
    return true;
  }

  function placesIn(among: readonly Entry<Thing, Member>[], kinds: readonly Kind[]): Map<Party, number> {
    const held = new Map<Party, number>();
    for (const { member, parties } of among)
      for (const kind of kinds) held.set(parties[kind], (held.get(parties[kind]) ?? 0) + member.places);
    return held;
  }

  function findGreediest(
    kinds: readonly Kind[],
    newcomer: Parties,
    more: number,
    placesOf: (party: Party) => number,
  ): { kind: Kind; party: Party } | undefined {
    let found: { kind: Kind; party: Party } | undefined;
    for (const kind of kinds) {
      const own = placesOf(newcomer[kind]) + more;
      for (const party of known[kind].values()) {
        const held = placesOf(party);
        if (held > own && (found === undefined || held > placesOf(found.party))) found = { kind, party };
      }
    }
    return found;
  }

  function nextOf(mayTake: (member: Member) => boolean): Entry<Thing, Member> | undefined {
    let next: Entry<Thing, Member> | undefined;
    for (const entry of entries)
      if (mayTake(entry.member) && comesBefore(entry.parties, next?.parties)) next = entry;
    return next;
  }

  return {
    get length() {
      return entries.length;
    },
    wait(member) {
      if (!makeRoom(member)) return Promise.resolve('no room');
      return new Promise((resolve) => {
        const entry = enter(member, (thing) => {
          clearTimeout(timer);
          resolve(thing);
        });
        const timer = setTimeout(
          () => {
            if (remove(entry)) resolve('too late');
          },
          Math.max(0, member.deadline - now()),
        );
      });
    },
    hand(thing, mayTake) {
      const entry = nextOf(mayTake);
      if (entry === undefined) return undefined;
      serve(entry.parties);
      remove(entry);
      entry.leave(thing);
      return entry.member;
    },
    some: (test) => entries.some(({ member }) => test(member)),
    admit: (names) => serve(partiesOf(names)),
    leave: (names) => change(partiesOf(names), { having: -1 }),
  };
}

/**
 * True if `one` comes before `other`. The sender whose last turn is longest ago comes first, then the sender with fewer
 * payments. Next comes the pair of payer and recipient whose last turn is longest ago, then the pair with fewer
 * payments, then the payer whose last turn is longest ago.
 */
function comesBefore(one: Parties, other: Parties | undefined): boolean {
  if (other === undefined) return true;
  const difference =
    one.sender.served - other.sender.served ||
    weightOf(one.sender) - weightOf(other.sender) ||
    latest(one) - latest(other) ||
    weightOfBoth(one) - weightOfBoth(other) ||
    one.payer.served - other.payer.served;
  return difference < 0;
}

const weightOf = ({ places, having }: Party): number => places + having;

const weightOfBoth = ({ payer, recipient }: Parties): number => weightOf(payer) + weightOf(recipient);

const latest = ({ payer, recipient }: Parties): number => Math.max(payer.served, recipient.served);
