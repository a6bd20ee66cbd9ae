/** Words of listings and of queries, as the contract has them. */
import fc from 'fast-check';
import type { DiscoveryResource } from '../../../src/contract/index.ts';

/** Runs of letters and digits, without case and diacritics. */
export const wordsOf = (text: string): string[] =>
  text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .match(/[a-z0-9]+/g) ?? [];

/** The words by which a listing is found, parameters included. */
export function textOf({
  serviceName = '',
  tags = [],
  description = '',
  extensions,
}: DiscoveryResource): string[] {
  const { info, schema } = (extensions?.['bazaar'] ?? {}) as any;
  const parameters = [info?.input?.inputSchema, schema?.properties?.input?.properties?.queryParams].flatMap(
    (declared) => Object.keys(declared?.properties ?? {}),
  );
  return wordsOf([serviceName, ...tags, description, ...parameters].join(' '));
}

/** The same word written in another way, and words that are nearly the same. */
export const spellings = (word: string): fc.Arbitrary<string> =>
  fc.constantFrom(
    word.toUpperCase(),
    word.replace(/[aeiou]/, (vowel) => `${vowel}\u0301`),
    `"${word}"`,
    `${word}*`,
    `${word}s`,
    `un${word}`,
    `${word.slice(0, -1)}-`,
  );

/** Texts that a filter which is not exact takes for `text`. */
export function nearMisses(text: string): string[] {
  const middle = Math.ceil(text.length / 2);
  const misses = [
    '',
    ' ',
    '*',
    '%',
    'null',
    'undefined',
    text.toUpperCase(),
    text.toLowerCase(),
    text.slice(0, middle),
    text.slice(middle),
    text.slice(0, -1),
    `${text.slice(0, middle)}*`,
    text.replace(/:.*/, ':*'),
    `${text}s`,
    `${text} `,
    ` ${text}`,
    `${text},${text}`,
    `!${text}`,
  ];
  return misses.filter((miss) => miss !== text);
}
