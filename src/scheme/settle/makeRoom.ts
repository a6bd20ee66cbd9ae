import { KINDS, type Kind, type KnownParties, type Parties, type Party } from './parties.ts';

export interface FairLineLimits {
  /** The most places in all, and for any one payer or recipient. */
  maxPlaces: number;
  maxPlacesPerParty: number;
}

/** Something that takes places in a line. */
interface Placed {
  readonly parties: Parties;
  readonly places: number;
}

/** A line that can be full. */
export interface Crowd<Entry extends Placed> {
  /** In order of arrival. */
  readonly entries: readonly Entry[];
  readonly known: KnownParties;
  readonly limits: FairLineLimits;
  readonly places: number;
  sendAway(entry: Entry): void;
}

/** Makes room for a newcomer if other parties hold more than its own would. Returns false if there is no room. */
export function makeRoom<Entry extends Placed>(crowd: Crowd<Entry>, newcomer: Placed): boolean {
  const { payer, recipient } = newcomer.parties;
  const { maxPlaces, maxPlacesPerParty: most } = crowd.limits;
  if (payer.places + newcomer.places > most) return false;
  const overOfRecipient = recipient.places + newcomer.places - most;
  const over = crowd.places + newcomer.places - maxPlaces;
  return (
    // One payer must not fill all places of a recipient: its payers share them.
    (overOfRecipient <= 0 || freePlacesOf(crowd, recipient, newcomer, overOfRecipient)) &&
    (over <= 0 || freePlaces(crowd, newcomer, over))
  );
}

function freePlacesOf<Entry extends Placed>(
  crowd: Crowd<Entry>,
  recipient: Party,
  newcomer: Placed,
  wanted: number,
): boolean {
  const among = crowd.entries.filter(({ parties }) => parties.recipient === recipient);
  const held = new Map<Party, number>();
  for (const { places, parties } of among) held.set(parties.payer, (held.get(parties.payer) ?? 0) + places);
  const placesOf = (party: Party): number => held.get(party) ?? 0;
  return giveWay(crowd, newcomer, { among, kinds: ['payer'], wanted, held, placesOf });
}

function freePlaces<Entry extends Placed>(crowd: Crowd<Entry>, newcomer: Placed, wanted: number): boolean {
  const held = new Map<Party, number>();
  const placesOf = (party: Party): number => held.get(party) ?? party.places;
  return giveWay(crowd, newcomer, { among: crowd.entries, kinds: KINDS, wanted, held, placesOf });
}

/**
 * Sends away the newest entries of the party with the most places, until enough places are free. Sends nobody away and
 * returns false if no party has more places than the newcomer's party of the same kind would have.
 */
function giveWay<Entry extends Placed>(
  crowd: Crowd<Entry>,
  newcomer: Placed,
  search: {
    among: readonly Entry[];
    kinds: readonly Kind[];
    wanted: number;
    /** Places of parties, less those of entries that will leave. */
    held: Map<Party, number>;
    placesOf: (party: Party) => number;
  },
): boolean {
  const { among, kinds, wanted, held, placesOf } = search;
  const leaving = new Set<Entry>();
  for (let freed = 0; freed < wanted;) {
    const greediest = findGreediest(crowd.known, kinds, newcomer, placesOf);
    if (greediest === undefined) return false;
    const { kind, party } = greediest;
    const newest = among.findLast((entry) => entry.parties[kind] === party && !leaving.has(entry));
    if (newest === undefined) return false;
    leaving.add(newest);
    freed += newest.places;
    for (const each of kinds) held.set(newest.parties[each], placesOf(newest.parties[each]) - newest.places);
  }
  for (const entry of leaving) crowd.sendAway(entry);
  return true;
}

function findGreediest(
  known: KnownParties,
  kinds: readonly Kind[],
  newcomer: Placed,
  placesOf: (party: Party) => number,
): { kind: Kind; party: Party } | undefined {
  let found: { kind: Kind; party: Party } | undefined;
  for (const kind of kinds) {
    const own = placesOf(newcomer.parties[kind]) + newcomer.places;
    for (const party of known.all(kind)) {
      const held = placesOf(party);
      if (held > own && (found === undefined || held > placesOf(found.party))) found = { kind, party };
    }
  }
  return found;
}
