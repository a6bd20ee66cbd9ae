import { KINDS, type Kind, type Parties, type Party } from './parties.ts';

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
  readonly limits: FairLineLimits;
  readonly places: number;
  sendAway(entry: Entry): void;
}

/** Entries that share a limited number of places: the whole line, or those of one party. */
interface Part {
  /** The newcomer's party whose entries these are; undefined for the whole line. */
  readonly of?: Kind;
  /** The places that they take. */
  readonly places: number;
  readonly maxPlaces: number;
  /** The parties among which they share the places. */
  readonly rivals: readonly Kind[];
}

/** Makes room for a newcomer if other parties hold more than its own would. Returns false if there is no room. */
export function makeRoom<Entry extends Placed>(crowd: Crowd<Entry>, newcomer: Placed): boolean {
  const { places, limits, entries } = crowd;
  const { payer, recipient } = newcomer.parties;
  const maxPlaces = limits.maxPlacesPerParty;
  const leaving = new Set<Entry>();
  const fits = (part: Part): boolean => chooseLeaving(entries, newcomer, part, leaving);
  const isRoom =
    // One sender must not fill all places of a payer, and one sender or payer not all places of a recipient.
    fits({ of: 'payer', places: payer.places, maxPlaces, rivals: ['sender'] }) &&
    fits({ of: 'recipient', places: recipient.places, maxPlaces, rivals: ['sender', 'payer'] }) &&
    fits({ places, maxPlaces: limits.maxPlaces, rivals: KINDS });
  if (isRoom) for (const entry of leaving) crowd.sendAway(entry);
  return isRoom;
}

/**
 * Chooses the newest entries of the party with the most places, until the newcomer fits into this part of the line.
 * Returns false if it does not, since no party has more places than the newcomer's party of the same kind would have.
 */
function chooseLeaving<Entry extends Placed>(
  entries: readonly Entry[],
  newcomer: Placed,
  { of, places, maxPlaces, rivals }: Part,
  leaving: Set<Entry>,
): boolean {
  if (places + newcomer.places <= maxPlaces) return true;
  const isIn = ({ parties }: Placed): boolean => of === undefined || parties[of] === newcomer.parties[of];
  const staying = entries.filter((entry) => isIn(entry) && !leaving.has(entry));
  // In the whole line, a party holds what it is known to hold, so only what leaves is counted: lines are long.
  const counted = new Map<Party, number>();
  const placesOf = (party: Party): number => counted.get(party) ?? (of === undefined ? party.places : 0);
  const count = (entry: Placed, sign: 1 | -1): void => {
    for (const kind of rivals) {
      const party = entry.parties[kind];
      counted.set(party, placesOf(party) + sign * entry.places);
    }
  };
  if (of === undefined) for (const entry of leaving) count(entry, -1);
  else for (const entry of staying) count(entry, 1);

  let taken = staying.reduce((sum, entry) => sum + entry.places, newcomer.places);
  while (taken > maxPlaces) {
    const greediest = findGreediest(staying, rivals, newcomer, placesOf);
    const newest = staying.findLast((entry) => !leaving.has(entry) && isOf(greediest, entry));
    if (newest === undefined) return false;
    leaving.add(newest);
    taken -= newest.places;
    count(newest, -1);
  }
  return true;
}

interface Found {
  readonly kind: Kind;
  readonly party: Party;
}

/** Finds the party with the most places, among those with more than the newcomer's party of the same kind would have. */
function findGreediest(
  entries: readonly Placed[],
  kinds: readonly Kind[],
  newcomer: Placed,
  placesOf: (party: Party) => number,
): Found | undefined {
  let found: Found | undefined;
  let most = 0;
  for (const kind of kinds) {
    const own = placesOf(newcomer.parties[kind]) + newcomer.places;
    for (const { parties } of entries) {
      const held = placesOf(parties[kind]);
      if (held <= own || held <= most) continue;
      found = { kind, party: parties[kind] };
      most = held;
    }
  }
  return found;
}

function isOf(found: Found | undefined, { parties }: Placed): boolean {
  return found !== undefined && parties[found.kind] === found.party;
}
