import { readFileSync } from 'node:fs';
import { faultsOf } from './faults.ts';
import type { Question, RelevanceListing, RelevanceSet } from './shape.ts';

/** Reads the set of this folder. Throws if it breaks a rule, and names every breach. */
export function readSet(): RelevanceSet {
  const set = {
    listings: readLines<RelevanceListing>('listings.jsonl'),
    questions: readLines<Question>('questions.jsonl'),
  };
  const faults = faultsOf(set);
  if (faults.length > 0) throw new Error(`the relevance set is not whole:\n${faults.join('\n')}`);
  return set;
}

function readLines<T>(file: string): T[] {
  const text = readFileSync(new URL(file, import.meta.url), 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as T);
}
