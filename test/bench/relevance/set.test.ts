import { describe, expect, test } from 'vitest';
import { faultsOf } from '../../../bench/relevance/faults.ts';
import { readSet } from '../../../bench/relevance/set.ts';
import { HALVES, KINDS, type Question, type RelevanceListing } from '../../../bench/relevance/shape.ts';

// Throws if the set breaks a rule.
const set = readSet();

test('the set has at least 400 listings and 250 questions', () => {
  expect(set.listings.length).toBeGreaterThanOrEqual(400);
  expect(set.questions.length).toBeGreaterThanOrEqual(250);
});

test('about one listing in ten is spam', () => {
  const share = set.listings.filter(({ spam }) => spam).length / set.listings.length;
  expect(share).toBeGreaterThan(0.08);
  expect(share).toBeLessThan(0.12);
});

test.each(KINDS)('questions of the kind %s are in both halves, about as many in each', (kind) => {
  const [tune = 0, held = 0] = HALVES.map(
    (half) => set.questions.filter((question) => question.kind === kind && question.half === half).length,
  );
  expect(held).toBeGreaterThanOrEqual(10);
  expect(tune - held).toBeOneOf([0, 1]);
});

describe('a fault is found:', () => {
  const first = set.listings[0]!;
  const tool = set.listings.find(({ type }) => type === 'mcp')!;
  const spam = set.listings.find((listing) => listing.spam)!;

  const badListings: [string, RelevanceListing, string][] = [
    ['an identifier twice', { ...first, url: 'https://other.example' }, `listing ${first.id} is there twice`],
    ['a place twice', { ...first, id: 'new-01' }, `two listings are at ${first.url} `],
    [
      'a real host',
      { ...first, id: 'new-01', url: 'https://other.com/x' },
      'new-01: the host of https://other.com/x is not under .example',
    ],
    [
      'a tool of an HTTP listing',
      { ...first, id: 'new-01', toolName: 'new' },
      'new-01: only MCP listings have a tool name',
    ],
    [
      'a tool that is read',
      { ...tool, id: 'new-01', toolName: 'new', method: 'GET' },
      'new-01: an MCP tool is called by POST',
    ],
    [
      'six tags',
      { ...tool, id: 'new-01', toolName: 'new', tags: [...'abcdef'] },
      'new-01 has more than 5 tags',
    ],
    [
      'a long name',
      { ...tool, id: 'new-01', toolName: 'new', serviceName: 'n'.repeat(33) },
      `new-01: "${'n'.repeat(33)}" is no short ASCII`,
    ],
    [
      'a tag beyond ASCII',
      { ...tool, id: 'new-01', toolName: 'new', tags: ['météo'] },
      'new-01: "météo" is no short ASCII',
    ],
  ];
  test.each(badListings)('%s', (_, listing, fault) => {
    expect(faultsOf({ ...set, listings: [...set.listings, listing] })).toEqual([fault]);
  });

  const nth = set.questions.findIndex(({ half }) => half === 'tune');
  const question = set.questions[nth]!;
  const [wanted = ''] = Object.keys(question.grades);
  const badQuestions: [string, Partial<Question>, string[]][] = [
    [
      'an identifier twice',
      { id: set.questions.at(-1)!.id },
      [`question ${set.questions.at(-1)!.id} is there twice`],
    ],
    ['an empty question', { query: ' ' }, [`${question.id} asks nothing`]],
    [
      'a grade for no listing',
      { grades: { [wanted]: 3, 'none-01': 1 } },
      [`${question.id} grades none-01, which is no listing`],
    ],
    [
      'a grade for spam',
      { grades: { [wanted]: 3, [spam.id]: 1 } },
      [`${question.id} grades ${spam.id}, which is spam`],
    ],
    ['nothing that is wanted', { grades: { [wanted]: 2 } }, [`${question.id} has no listing that it wants`]],
    [
      'a grade that there is not',
      { grades: { [wanted]: 4 as 3 } },
      [`${question.id} grades ${wanted} with 4`, `${question.id} has no listing that it wants`],
    ],
    ['another half', { half: 'test' }, [`${question.id} is in the wrong half`]],
  ];
  test.each(badQuestions)('%s', (_, change, faults) => {
    const questions = set.questions.with(nth, { ...question, ...change });
    expect(faultsOf({ ...set, questions })).toEqual(faults);
  });

  test('a kind that there is not', () => {
    const stray: Question = { ...question, id: 'new-q1', kind: 'rude' as 'plain' };
    expect(faultsOf({ ...set, questions: [...set.questions, stray] })).toEqual([
      'new-q1: no kind is called rude',
    ]);
  });
});
