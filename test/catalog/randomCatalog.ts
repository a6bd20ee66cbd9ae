import type { Draft } from './drafts.ts';
import type { Texts } from './exhaustiveRanking.ts';
import type { Random } from './random.ts';

/** A listing whose words are `w0`, `w1` and so on, the lower the commoner, among so many. */
export function randomDraft(random: Random, name: string, vocabulary: number, terms?: Draft['terms']): Draft {
  const words = (limit: number): string[] =>
    Array.from({ length: random.below(limit + 1) }, () => `w${random.zipf(vocabulary)}`);
  const some = (limit: number): string => words(limit).join(' ');
  return {
    name,
    serviceName: some(2),
    tags: words(3),
    description: some(10),
    parameters: Object.fromEntries(words(2).map((word) => [word, some(3)])),
    ...(terms && { terms }),
  };
}

export function textsOf({ serviceName = '', tags = [], description = '', parameters = {} }: Draft): Texts {
  return {
    serviceName,
    tags: tags.join(' '),
    description,
    parameters: Object.entries(parameters).flat().join(' '),
  };
}

/** One to `limit` different words, common and rare ones. */
export function randomQuery(random: Random, limit: number, vocabulary: number): string[] {
  const length = 1 + random.below(limit);
  const word = (): string => `w${random.below(2) === 0 ? random.zipf(vocabulary) : random.below(vocabulary)}`;
  return [...new Set(Array.from({ length }, word))];
}
