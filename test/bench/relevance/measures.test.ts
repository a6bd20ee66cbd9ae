import { describe, expect, test } from 'vitest';
import {
  meanScores,
  ndcg,
  recall,
  reciprocalRank,
  scoresOf,
  type Grades,
} from '../../../bench/relevance/measures.ts';

const grades: Grades = { a: 3, b: 2, c: 1 };
const others = (count: number): string[] => Array.from({ length: count }, (_, nth) => `x${nth}`);

describe('nDCG', () => {
  test('is 1 for the best order, whatever comes after it', () => {
    expect(ndcg(['a', 'b', 'c'], grades, 10)).toBe(1);
    expect(ndcg(['a', 'b', 'c', ...others(20)], grades, 10)).toBe(1);
  });

  test('gains 2^grade − 1, divided by log2 of the place plus one', () => {
    // 3 / log2(2) + 0 + 7 / log2(4) = 6.5, and at best 7 / 1 + 3 / 1.584963 + 1 / 2 = 9.392789
    expect(ndcg(['b', 'x', 'a'], grades, 10)).toBeCloseTo(6.5 / 9.392789, 6);
  });

  test('counts nothing beyond the places that are asked for', () => {
    expect(ndcg([...others(10), 'a'], grades, 10)).toBe(0);
    // 7 / log2(11) = 2.023458
    expect(ndcg([...others(9), 'a'], grades, 10)).toBeCloseTo(2.023458 / 9.392789, 6);
  });

  test('compares with the best that fits into the places', () => {
    expect(ndcg(['a'], grades, 1)).toBe(1);
    expect(ndcg(['b'], grades, 1)).toBeCloseTo(3 / 7, 12);
  });
});

describe('recall', () => {
  test('is the share of listings with grade 2 or 3 that is found', () => {
    expect(recall(['c', 'b'], grades, 5)).toBe(0.5);
    expect(recall(['b', 'c', 'a'], grades, 5)).toBe(1);
  });

  test('counts nothing beyond the places that are asked for', () => {
    expect(recall(['a', ...others(4), 'b'], grades, 5)).toBe(0.5);
    expect(recall(['a', ...others(4), 'b'], grades, 10)).toBe(1);
  });
});

describe('the reciprocal rank', () => {
  test('is that of the first listing with grade 2 or 3, at any place', () => {
    expect(reciprocalRank(['c', 'x', 'x', 'b', 'a'], grades)).toBe(1 / 4);
    expect(reciprocalRank([...others(19), 'a'], grades)).toBe(1 / 20);
  });

  test('is 0 without such a listing', () => {
    expect(reciprocalRank(['c'], grades)).toBe(0);
  });
});

describe('the scores of a question', () => {
  const spam = new Set(['s']);

  test('say that nothing was found', () => {
    expect(scoresOf([], grades, spam)).toEqual({
      ndcgAt10: 0,
      recallAt5: 0,
      recallAt10: 0,
      reciprocalRank: 0,
      zeroResults: 1,
      spamInTen: 0,
    });
  });

  test('say that spam is among the first ten, not the first eleven', () => {
    expect(scoresOf([...others(9), 's'], grades, spam).spamInTen).toBe(1);
    expect(scoresOf([...others(10), 's'], grades, spam).spamInTen).toBe(0);
  });

  test('look at five places and at ten', () => {
    const scores = scoresOf(['a', ...others(5), 'b'], grades, spam);
    // 7 / 1 + 3 / log2(8) = 8
    expect(scores.ndcgAt10).toBeCloseTo(8 / 9.392789, 6);
    expect(scores).toMatchObject({ recallAt5: 0.5, recallAt10: 1, reciprocalRank: 1, zeroResults: 0 });
  });

  test('are averaged over questions', () => {
    const scores = [scoresOf(['a', 'b', 'c'], grades, spam), scoresOf([], grades, spam)];
    expect(meanScores(scores)).toEqual({
      ndcgAt10: 0.5,
      recallAt5: 0.5,
      recallAt10: 0.5,
      reciprocalRank: 0.5,
      zeroResults: 0.5,
      spamInTen: 0,
    });
  });
});
