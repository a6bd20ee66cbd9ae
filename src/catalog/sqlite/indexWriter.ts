import type { DatabaseSync } from 'node:sqlite';
import type { Wording } from '../search/wording.ts';
import { blockOf, placeOf, rowId, withMember, withoutMember } from './blocks.ts';
import { entryRows, lengthRows, memberRows, postingRows, type Entry, type MemberRow } from './indexRows.ts';

/** Keeps the index in step with the listings. Gathers changes, which `flush` writes within the caller's transaction. */
export interface IndexWriter {
  /** Replaces a listing's words; `before` is undefined for a new listing. */
  reword(listing: number, before: Wording | undefined, after: Wording): void;
  /** Enters a listing under a facet, once. */
  addMember(listing: number, facet: string): void;
  removeMember(listing: number, facet: string): void;
  /** Keeps a listing out of lists and searches, or lets it in. Its words and facets stay as they are. */
  setHidden(listing: number, isHidden: boolean): void;
  flush(): void;
  /** Forgets the gathered changes, after a transaction that failed. */
  discard(): void;
}

type Index = ReturnType<typeof openIndex>;

export function createIndexWriter(db: DatabaseSync): IndexWriter {
  const index = openIndex(db);
  return {
    reword: (listing, before, after) => reword(index, listing, before, after),
    addMember: (listing, facet) => changeMember(index, listing, facet, 1),
    removeMember: (listing, facet) => changeMember(index, listing, facet, -1),
    setHidden(listing, isHidden) {
      setMember(index.hidden.get(blockOf(listing)), listing, isHidden);
    },
    flush() {
      for (const rows of Object.values(index)) rows.flush();
    },
    discard() {
      for (const rows of Object.values(index)) rows.clear();
    },
  };
}

function openIndex(db: DatabaseSync) {
  return {
    postings: postingRows(db),
    members: memberRows(db, 'member'),
    hidden: memberRows(db, 'hidden'),
    lengths: lengthRows(db),
    words: entryRows(db, 'word'),
    facets: entryRows(db, 'facet'),
  };
}

function reword(index: Index, listing: number, before: Wording | undefined, after: Wording): void {
  for (const word of before?.words.keys() ?? []) {
    if (!after.words.has(word)) setPosting(index, word, listing, 0).listings -= 1;
  }
  for (const [word, frequency] of after.words) {
    const known = before?.words.get(word);
    if (known === frequency) continue;
    const entry = setPosting(index, word, listing, frequency);
    if (known === undefined) entry.listings += 1;
  }
  if (before?.length !== after.length) index.lengths.get(blockOf(listing))[placeOf(listing)] = after.length;
}

function setPosting({ words, postings }: Index, word: string, listing: number, frequency: number): Entry {
  const entry = words.get(word);
  postings.get(rowId(entry.id, blockOf(listing))).set(placeOf(listing), frequency);
  return entry;
}

function changeMember({ facets, members }: Index, listing: number, facet: string, by: 1 | -1): void {
  const entry = facets.get(facet);
  const row = members.get(rowId(entry.id, blockOf(listing)));
  if (setMember(row, listing, by === 1)) entry.listings += by;
}

/** Returns false if the row said so already. */
function setMember(row: MemberRow, listing: number, isMember: boolean): boolean {
  const data = (isMember ? withMember : withoutMember)(row.data, placeOf(listing));
  if (data === undefined) return false;
  row.data = data;
  row.listings += isMember ? 1 : -1;
  return true;
}
