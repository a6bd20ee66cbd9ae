import { expect, test } from 'vitest';
import { judge } from '../../../bench/relevance/judge.ts';
import { loadModel } from '../../../src/catalog/meaning/index.ts';

const judged = judge(await loadModel('built-in'));

// A little below what is measured, so that only a change for the worse fails.
test.each(judged)('the hybrid ranking finds what people want, half "$half"', ({ hybrid, lexical, sign }) => {
  expect(hybrid.ndcgAt10).toBeGreaterThan(0.58);
  expect(hybrid.ndcgAt10 - lexical.ndcgAt10).toBeGreaterThan(0.18);
  expect(sign.p).toBeLessThan(0.001);
});

test.each(judged)('it rarely finds nothing, or spam, half "$half"', ({ hybrid }) => {
  expect(hybrid.zeroResults).toBeLessThan(0.01);
  expect(hybrid.spamInTen).toBeLessThanOrEqual(0.1);
});
