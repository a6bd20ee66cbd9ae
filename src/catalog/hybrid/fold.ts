import type { DiscoveryResource } from '../../contract/index.ts';
import { contentOf } from './content.ts';
import { knows } from './embedding.ts';
import type { Model } from '../meaning/index.ts';
import type { Hit } from '../search/best.ts';
import { wordsOf } from './words.ts';

/** Share of the terms of two listings that near-duplicates have in common. */
const NEAR_DUPLICATE = 0.8;
/** Shorter names are words that anybody may use. */
const LEAST_NAME_CHARACTERS = 5;
/** A word that more owners use is nobody's name. */
const MAX_OWNERS_OF_NAME = 3;

export interface ReadListing {
  (
    listing: number,
  ): { readonly owner: string; readonly item: DiscoveryResource; readonly payers: string | null } | undefined;
}

interface Candidate {
  readonly listing: number;
  readonly owner: string;
  readonly item: DiscoveryResource;
  /** Computed only for owners with several listings. */
  terms(): ReadonlySet<string>;
  readonly words: ReadonlySet<string>;
}

/**
 * Returns the listings of a head that come after it: near-duplicates of a better one of the same owner, and those that
 * name an older listing's service although another owner has it.
 */
export function foldedIn(head: readonly Hit[], model: Model, read: ReadListing): number[] {
  const candidates = head.flatMap(({ listing }): Candidate[] => {
    const known = read(listing);
    if (known === undefined) return [];
    let terms: ReadonlySet<string> | undefined;
    return [
      {
        listing,
        ...known,
        terms: () => (terms ??= new Set(contentOf(known.item, model).terms.keys())),
        words: saidWords(known.item),
      },
    ];
  });
  const names = namesIn(candidates, model);
  const kept: Candidate[] = [];
  const folded: number[] = [];
  for (const candidate of candidates) {
    const isCopy = kept.some(
      (other) => other.owner === candidate.owner && areAlike(other.terms(), candidate.terms()),
    );
    if (isCopy || namesAnother(candidate, names)) folded.push(candidate.listing);
    else kept.push(candidate);
  }
  return folded;
}

function areAlike(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  const common = [...one].filter((term) => other.has(term)).length;
  return common / Math.max(1, one.size + other.size - common) >= NEAR_DUPLICATE;
}

interface Name {
  readonly owner: string;
  readonly listing: number;
}

/**
 * Returns the names of services: words that no dictionary has, and few owners use. The oldest listing with a name owns
 * it.
 */
function namesIn(candidates: readonly Candidate[], model: Model): Map<string, Name> {
  const names = new Map<string, Name>();
  for (const { listing, owner, item } of candidates)
    for (const { whole: word } of wordsOf(item.serviceName ?? '')) {
      if (word.length < LEAST_NAME_CHARACTERS || knows(model, word)) continue;
      const known = names.get(word);
      if (known === undefined || listing < known.listing) names.set(word, { owner, listing });
    }
  for (const word of names.keys()) {
    const owners = new Set(candidates.filter(({ words }) => words.has(word)).map(({ owner }) => owner));
    if (owners.size > MAX_OWNERS_OF_NAME) names.delete(word);
  }
  return names;
}

/** A listing whose origin names its owner may use any name, for as long as the proof holds. */
function namesAnother({ listing, owner, item, words }: Candidate, names: ReadonlyMap<string, Name>): boolean {
  if (Date.parse(item.verified?.until ?? '') > Date.now()) return false;
  return [...names].some(([word, name]) => words.has(word) && name.owner !== owner && name.listing < listing);
}

/** Returns the words of what a listing says of itself. */
function saidWords({ serviceName = '', tags = [], description = '' }: DiscoveryResource): Set<string> {
  return new Set(wordsOf([serviceName, ...tags, description].join('\n')).map(({ whole }) => whole));
}
