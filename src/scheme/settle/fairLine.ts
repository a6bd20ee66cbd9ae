import { makeRoom, type Crowd, type FairLineLimits } from './makeRoom.ts';
import { createKnownParties, type KnownParties, type Names, type Order, type Parties } from './parties.ts';

/** A waiting payment: its parties, and the room that it takes. */
export interface Waiter extends Names {
  /** One for each `bytesPerWaitingPayment` bytes that are kept while it waits. */
  readonly places: number;
  /** Waiting is pointless after this moment. */
  readonly deadline: number;
}

/** The reason why a payment leaves the line without a turn. */
export type NotServed = 'no room' | 'too late' | 'dismissed';

/** A line for something that one payment has at a time: a channel account, or a place to verify. Payments take turns. */
export interface FairLine<Thing, Member extends Waiter = Waiter> {
  /** The number of waiting payments. */
  readonly length: number;
  /** The number of places that they take. */
  readonly places: number;
  /** Returns how long the one that came first has waited; 0 if none waits. */
  oldestMs(): number;
  wait(member: Member): Promise<Thing | NotServed>;
  /** Gives `thing` to the next member that may take it. Returns that member; undefined if there is none. */
  hand(thing: Thing, mayTake: (member: Member) => boolean): Member | undefined;
  /** Lets all leave without a turn. */
  dismiss(): void;
  /** True if the test holds for a waiting payment. */
  some(test: (member: Member) => boolean): boolean;
  /** Records that a payment of these parties got its turn without waiting. */
  admit(names: Names): void;
  /** Records that a payment of these parties has given back what it had, whether it waited or not. */
  leave(names: Names): void;
}

interface Entry<Thing, Member> {
  readonly member: Member;
  readonly parties: Parties;
  readonly places: number;
  readonly since: number;
  leave(thing: Thing | NotServed): void;
}

interface Line<Thing, Member extends Waiter> extends Crowd<Entry<Thing, Member>> {
  readonly entries: Entry<Thing, Member>[];
  readonly known: KnownParties;
  readonly order: Order;
  readonly now: () => number;
  places: number;
}

/**
 * Senders, payers and recipients take turns in the given order, however many payments of each wait. A full line makes
 * room for a newcomer at the expense of the party with the most places.
 */
export function createFairLine<Thing, Member extends Waiter = Waiter>(
  limits: FairLineLimits,
  order: Order,
  now: () => number,
): FairLine<Thing, Member> {
  const known = createKnownParties();
  const line: Line<Thing, Member> = {
    entries: [],
    known,
    limits,
    order,
    now,
    places: 0,
    sendAway(entry) {
      remove(line, entry);
      entry.leave('no room');
    },
  };
  return {
    get length() {
      return line.entries.length;
    },
    get places() {
      return line.places;
    },
    oldestMs: () => (line.entries[0] === undefined ? 0 : now() - line.entries[0].since),
    wait: (member) => wait(line, member),
    hand(thing, mayTake) {
      const entry = nextOf(line, mayTake);
      if (entry === undefined) return undefined;
      known.serve(entry.parties);
      remove(line, entry);
      entry.leave(thing);
      return entry.member;
    },
    dismiss() {
      for (const entry of [...line.entries]) {
        remove(line, entry);
        entry.leave('dismissed');
      }
    },
    some: (test) => line.entries.some(({ member }) => test(member)),
    admit: (names) => known.serve(known.of(names)),
    leave: (names) => known.change(known.of(names), { having: -1 }),
  };
}

function wait<Thing, Member extends Waiter>(
  line: Line<Thing, Member>,
  member: Member,
): Promise<Thing | NotServed> {
  const { places, deadline } = member;
  const since = line.now();
  if (!makeRoom(line, { parties: line.known.of(member), places })) return Promise.resolve('no room');
  return new Promise((resolve) => {
    const leave = (thing: Thing | NotServed): void => {
      clearTimeout(timer);
      resolve(thing);
    };
    const entry = { member, parties: line.known.of(member), places, since, leave };
    enter(line, entry);
    const timer = setTimeout(
      () => {
        if (remove(line, entry)) resolve('too late');
      },
      Math.max(0, deadline - since),
    );
  });
}

function enter<Thing, Member extends Waiter>(line: Line<Thing, Member>, entry: Entry<Thing, Member>): void {
  line.known.change(entry.parties, { places: entry.places });
  line.places += entry.places;
  line.entries.push(entry);
}

/** Removes an entry. Returns false if it has left already. */
function remove<Thing, Member extends Waiter>(
  line: Line<Thing, Member>,
  entry: Entry<Thing, Member>,
): boolean {
  const at = line.entries.indexOf(entry);
  if (at === -1) return false;
  line.entries.splice(at, 1);
  line.places -= entry.places;
  line.known.change(entry.parties, { places: -entry.places });
  return true;
}

function nextOf<Thing, Member extends Waiter>(
  { entries, order }: Line<Thing, Member>,
  mayTake: (member: Member) => boolean,
): Entry<Thing, Member> | undefined {
  let next: Entry<Thing, Member> | undefined;
  for (const entry of entries)
    if (mayTake(entry.member) && (next === undefined || order(entry.parties, next.parties) < 0)) next = entry;
  return next;
}
