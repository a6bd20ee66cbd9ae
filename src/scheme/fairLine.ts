/** A payment that waits: its parties, and the room that it takes. */
export interface Waiter {
  readonly payer: string;
  readonly payTo: string;
  /** One for each `bytesPerWaitingPayment` that are kept while it waits. */
  readonly places: number;
  /** After this moment, waiting is of no use. */
  readonly deadline: number;
}

/** Why a payment leaves the line without its turn. */
export type NotServed = 'no room' | 'too late';

/** Payments wait here in turn for something that one payment has at a time: a submitter, or a place to verify. */
export interface FairLine<Thing, Member extends Waiter = Waiter> {
  /** How many wait. */
  readonly length: number;
  wait(member: Member): Promise<Thing | NotServed>;
  /** Gives `thing` to the member whose turn it is among those that may take it. Returns the member; undefined if none may. */
  hand(thing: Thing, mayTake: (member: Member) => boolean): Member | undefined;
  /** True if the test holds for one that waits. */
  some(test: (member: Member) => boolean): boolean;
  /** A payment of these parties got its turn without waiting. */
  admit(party: Pick<Waiter, 'payer' | 'payTo'>): void;
  /** A payment of these parties has given back what it had, whether it waited or not. */
  leave(party: Pick<Waiter, 'payer' | 'payTo'>): void;
}

export interface FairLineLimits {
  /** Limits in all, and for any one payer or recipient. */
  maxPlaces: number;
  maxPlacesPerParty: number;
}

interface Parties {
  readonly payer: Party;
  readonly recipient: Party;
}

interface Entry<Thing, Member> extends Parties {
  readonly member: Member;
  leave(thing: Thing | NotServed): void;
}

/** A payer or a recipient, for as long as payments of it wait or have what they waited for. */
interface Party {
  readonly name: string;
  places: number;
  /** How many have what they waited for. */
  having: number;
  /** The number of the last service: its own, or of anybody when it came. */
  served: number;
}

/**
 * The next payment is the one whose payer and recipient were both served longest ago. So payers take turns, and so do
 * recipients, however many payments of each wait. A full line makes room for a newcomer at the expense of the party with
 * the most in it.
 */
export function createFairLine<Thing, Member extends Waiter = Waiter>(
  limits: FairLineLimits,
  now: () => number,
): FairLine<Thing, Member> {
  /** In order of arrival. */
  const entries: Entry<Thing, Member>[] = [];
  const parties = new Map<string, Party>();
  let places = 0;
  let services = 0;

  function partyOf(name: string): Party {
    return parties.get(name) ?? { name, places: 0, having: 0, served: services };
  }

  function enter(member: Member, leave: Entry<Thing, Member>['leave']): Entry<Thing, Member> {
    const entry = { member, ...partiesOf(member), leave };
    for (const party of [entry.payer, entry.recipient]) {
      party.places += member.places;
      parties.set(party.name, party);
    }
    places += member.places;
    entries.push(entry);
    return entry;
  }

  const partiesOf = ({ payer, payTo }: Pick<Waiter, 'payer' | 'payTo'>): Parties => ({
    payer: partyOf(`from ${payer}`),
    recipient: partyOf(`to ${payTo}`),
  });

  function remove(entry: Entry<Thing, Member>): boolean {
    const at = entries.indexOf(entry);
    if (at === -1) return false;
    entries.splice(at, 1);
    places -= entry.member.places;
    for (const party of [entry.payer, entry.recipient]) {
      party.places -= entry.member.places;
      forgetIdle(party);
    }
    return true;
  }

  function forgetIdle({ name, places: waiting, having }: Party): void {
    if (waiting + having === 0) parties.delete(name);
  }

  function serve(payer: Party, recipient: Party): void {
    services += 1;
    for (const party of [payer, recipient]) {
      party.served = services;
      party.having += 1;
      parties.set(party.name, party);
    }
  }

  /** Makes room if others hold more than the newcomer would; false if there is none. */
  function makeRoom(member: Member): boolean {
    const { payer, recipient } = partiesOf(member);
    const { maxPlaces, maxPlacesPerParty: most } = limits;
    if (payer.places + member.places > most) return false;
    const ofRecipient = entries.filter((entry) => entry.recipient === recipient);
    return (
      // Nobody may fill all the places of a recipient: there its payers share them.
      sendAway(ofRecipient, ({ payer: party }) => [party], recipient.places + member.places - most, member) &&
      sendAway(entries, (entry) => [entry.payer, entry.recipient], places + member.places - maxPlaces, member)
    );
  }

  /** Frees places in `among`: the newest of the party with the most goes. False if nobody has more than the newcomer. */
  function sendAway(
    among: readonly Entry<Thing, Member>[],
    partiesIn: (entry: Entry<Thing, Member>) => readonly Party[],
    wanted: number,
    member: Member,
  ): boolean {
    if (wanted <= 0) return true;
    const held = new Map<Party, number>();
    const change = (entry: Entry<Thing, Member>, by: number): void => {
      for (const party of partiesIn(entry))
        held.set(party, (held.get(party) ?? 0) + by * entry.member.places);
    };
    for (const entry of among) change(entry, 1);
    const { payer, recipient } = partiesOf(member);
    const own = Math.max(held.get(payer) ?? 0, held.get(recipient) ?? 0) + member.places;
    const leaving = new Set<Entry<Thing, Member>>();
    for (let freed = 0; freed < wanted;) {
      const [greediest, most] = [...held].reduce((one, other) => (other[1] > one[1] ? other : one), [
        undefined as Party | undefined,
        own,
      ] as const);
      const newest = among.findLast(
        (entry) =>
          greediest !== undefined &&
          most > own &&
          !leaving.has(entry) &&
          partiesIn(entry).includes(greediest),
      );
      if (newest === undefined) return false;
      leaving.add(newest);
      change(newest, -1);
      freed += newest.member.places;
    }
    for (const entry of leaving) {
      remove(entry);
      entry.leave('no room');
    }
    return true;
  }

  function nextOf(mayTake: (member: Member) => boolean): Entry<Thing, Member> | undefined {
    let next: Entry<Thing, Member> | undefined;
    for (const entry of entries) if (mayTake(entry.member) && comesBefore(entry, next)) next = entry;
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
      serve(entry.payer, entry.recipient);
      remove(entry);
      entry.leave(thing);
      return entry.member;
    },
    some: (test) => entries.some(({ member }) => test(member)),
    admit(party) {
      const { payer, recipient } = partiesOf(party);
      serve(payer, recipient);
    },
    leave(party) {
      const { payer, recipient } = partiesOf(party);
      for (const each of [payer, recipient]) {
        each.having -= 1;
        forgetIdle(each);
      }
    },
  };
}

/** Of two whose turn it is, the one whose parties have less comes first, then the one whose payer was served longer ago. */
function comesBefore(one: Parties, other: Parties | undefined): boolean {
  if (other === undefined) return true;
  const difference =
    latest(one) - latest(other) || weightOf(one) - weightOf(other) || one.payer.served - other.payer.served;
  return difference < 0;
}

const weightOf = ({ payer, recipient }: Parties): number =>
  payer.places + payer.having + recipient.places + recipient.having;

const latest = ({ payer, recipient }: Parties): number => Math.max(payer.served, recipient.served);
