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
  /** The number of its last turn. A newcomer gets the number whose turn it was when it came. */
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
  /** The turn that was served last: a newcomer comes before all that were served since. */
  let turn = 0;

  function partyOf(name: string): Party {
    return parties.get(name) ?? { name, places: 0, having: 0, served: turn };
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

  /** Makes room by sending away the newest of a party that holds more than the newcomer would; false if none does. */
  function makeRoom(member: Member): boolean {
    const { payer, recipient } = partiesOf(member);
    const wanted = Math.max(payer.places, recipient.places) + member.places;
    if (wanted > limits.maxPlacesPerParty) return false;
    while (places + member.places > limits.maxPlaces) {
      const greediest = greediestParty();
      if (greediest === undefined || greediest.places <= wanted) return false;
      const newest = entries.findLast((entry) => entry.payer === greediest || entry.recipient === greediest)!;
      remove(newest);
      newest.leave('no room');
    }
    return true;
  }

  function greediestParty(): Party | undefined {
    let greediest: Party | undefined;
    for (const party of parties.values()) if (party.places > (greediest?.places ?? 0)) greediest = party;
    return greediest;
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
      turn = Math.max(turn, latest(entry));
      serve(entry.payer, entry.recipient);
      remove(entry);
      entry.leave(thing);
      return entry.member;
    },
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

/** If two have the same recipient, the payer decides; if they have the same payer too, arrival does. */
function comesBefore(one: Parties, other: Parties | undefined): boolean {
  if (other === undefined) return true;
  const difference = latest(one) - latest(other);
  return difference === 0 ? one.payer.served < other.payer.served : difference < 0;
}

const latest = ({ payer, recipient }: Parties): number => Math.max(payer.served, recipient.served);
