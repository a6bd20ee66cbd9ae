import { makeRoom, type Crowd, type FairLineLimits } from './makeRoom.ts';
import { comesBefore, createKnownParties, type Names, type Parties } from './parties.ts';

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
  leave(thing: Thing | NotServed): void;
}

interface Line<Thing, Member extends Waiter> extends Crowd<Entry<Thing, Member>> {
  readonly entries: Entry<Thing, Member>[];
  places: number;
}

/**
 * Senders take turns. Among a sender's payments, the next one is the one whose payer and recipient have both waited
 * longest for a turn. So payers take turns, and so do recipients, however many payments of each wait. A full line
 * makes room for a newcomer at the expense of the party with the most places.
 */
export function createFairLine<Thing, Member extends Waiter = Waiter>(
  limits: FairLineLimits,
  now: () => number,
): FairLine<Thing, Member> {
  const known = createKnownParties();
  const line: Line<Thing, Member> = {
    entries: [],
    known,
    limits,
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
    wait: (member) => wait(line, member, Math.max(0, member.deadline - now())),
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
  waitMs: number,
): Promise<Thing | NotServed> {
  const { places } = member;
  if (!makeRoom(line, { parties: line.known.of(member), places })) return Promise.resolve('no room');
  return new Promise((resolve) => {
    const leave = (thing: Thing | NotServed): void => {
      clearTimeout(timer);
      resolve(thing);
    };
    const entry = { member, parties: line.known.of(member), places, leave };
    enter(line, entry);
    const timer = setTimeout(() => {
      if (remove(line, entry)) resolve('too late');
    }, waitMs);
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
  { entries }: Line<Thing, Member>,
  mayTake: (member: Member) => boolean,
): Entry<Thing, Member> | undefined {
  let next: Entry<Thing, Member> | undefined;
  for (const entry of entries)
    if (mayTake(entry.member) && comesBefore(entry.parties, next?.parties)) next = entry;
  return next;
}
