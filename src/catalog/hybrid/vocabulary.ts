import { detached } from './detached.ts';
import { createNumbers } from './numbers.ts';

/** The edits that turn a misspelt term into another one: none for short terms, which have too many neighbours. */
const ONE_EDIT_FROM_LENGTH = 4;
const TWO_EDITS_FROM_LENGTH = 8;
/** Terms of a group that are looked at. Someone who lists a great many made-up words must not slow searches. */
const MAX_GROUP = 20_000;
/** Longer terms are not looked for: comparing them takes long. */
const MAX_SIMILAR_CHARACTERS = 24;
/** Terms that a misspelt one is compared with, letter by letter. */
const MAX_COMPARED = 400;
/** Terms offered in place of a misspelt one. */
const MAX_SIMILAR = 2;

/** The terms of the catalog: stems of words. Counts the listings that have each, and finds those spelt alike. */
export interface Vocabulary {
  /** Returns undefined for a term that no listing ever had. */
  idOf(term: string): number | undefined;
  idFor(term: string): number;
  /** Returns the number of listings with a term. */
  count(term: string): number;
  /** Adds to the number of listings with a term. */
  add(id: number, by: 1 | -1): void;
  /** Returns the terms that a misspelt one may stand for: those with the fewest edits, common ones first. */
  similar(term: string): string[];
}

export function createVocabulary(): Vocabulary {
  const ids = new Map<string, number>();
  const terms: string[] = [];
  const counts = createNumbers(Uint32Array);
  const signatures = createNumbers(Uint32Array);
  /** The terms with the same first letter and length. */
  const groups = new Map<string, number[]>();

  function* neighbours(term: string, edits: number): Iterable<{ id: number; distance: number }> {
    const signature = signatureOf(term);
    const bits = signatures.data;
    let compared = 0;
    for (let length = term.length - edits; length <= term.length + edits; length += 1)
      for (const id of groups.get(groupOf(term, length)) ?? []) {
        if (bitsOf(signature ^ bits[id]!) > 2 * edits || counts.data[id] === 0) continue;
        if ((compared += 1) > MAX_COMPARED) return;
        const distance = distanceOf(term, terms[id]!, edits);
        if (distance <= edits) yield { id, distance };
      }
  }

  return {
    idOf: (term) => ids.get(term),
    idFor(term) {
      let id = ids.get(term);
      if (id !== undefined) return id;
      const own = detached(term);
      ids.set(own, (id = terms.push(own) - 1));
      counts.set(id, 0);
      signatures.set(id, signatureOf(term));
      const group = groups.get(groupOf(term, term.length));
      if (group === undefined) groups.set(groupOf(term, term.length), [id]);
      else if (group.length < MAX_GROUP) group.push(id);
      return id;
    },
    count: (term) => counts.data[ids.get(term) ?? -1] ?? 0,
    add: (id, by) => counts.set(id, counts.data[id]! + by),
    similar(term) {
      const edits = term.length >= TWO_EDITS_FROM_LENGTH ? 2 : term.length >= ONE_EDIT_FROM_LENGTH ? 1 : 0;
      if (edits === 0 || term.length > MAX_SIMILAR_CHARACTERS) return [];
      const found = [...neighbours(term, edits)];
      const fewest = Math.min(...found.map(({ distance }) => distance));
      return found
        .filter(({ distance }) => distance === fewest)
        .map(({ id }) => ({ term: terms[id]!, count: counts.data[id]! }))
        .sort((a, b) => b.count - a.count || (a.term < b.term ? -1 : 1))
        .slice(0, MAX_SIMILAR)
        .map(({ term: similar }) => similar);
    },
  };
}

const groupOf = (term: string, length: number): string => `${term.slice(0, 1)}${length}`;

/** Sets a bit for each character of a term. An edit changes at most two bits. */
function signatureOf(term: string): number {
  let bits = 0;
  for (let at = 0; at < term.length; at += 1) bits |= 1 << (term.charCodeAt(at) % 32);
  return bits >>> 0;
}

function bitsOf(value: number): number {
  const pairs = value - ((value >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/**
 * Returns the number of edits between two terms, where swapping two neighbouring letters is one edit (optimal string
 * alignment); more than `limit` if they differ more.
 */
function distanceOf(one: string, other: string, limit: number): number {
  let before: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (let row = 1; row <= one.length; row += 1) {
    const next = [row];
    for (let column = 1; column <= other.length; column += 1) {
      const isSame = one[row - 1] === other[column - 1];
      let edits = Math.min(last[column]! + 1, next[column - 1]! + 1, last[column - 1]! + (isSame ? 0 : 1));
      const isSwap =
        row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      if (isSwap) edits = Math.min(edits, before[column - 2]! + 1);
      next.push(edits);
    }
    if (Math.min(...next) > limit) return limit + 1;
    before = last;
    last = next;
  }
  return last[other.length]!;
}
