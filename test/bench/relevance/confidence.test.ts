import { describe, expect, test } from 'vitest';
import { bootstrapInterval, signTest } from '../../../bench/relevance/confidence.ts';

const repeat = (value: number, count: number): number[] => Array.from({ length: count }, () => value);

describe('the interval of a mean', () => {
  test('is a point if all values are the same', () => {
    expect(bootstrapInterval(repeat(0.5, 20))).toEqual({ low: 0.5, high: 0.5 });
  });

  test('of a hundred tosses, half of them heads, leaves out 2.5 % on either side', () => {
    // So many heads of 100: at most 39 with 1.8 %, at most 40 with 2.8 %.
    expect(bootstrapInterval([...repeat(0, 50), ...repeat(1, 50)])).toEqual({ low: 0.4, high: 0.6 });
  });

  test('is the same whenever it is computed', () => {
    const values = Array.from({ length: 50 }, (_, nth) => Math.sqrt(nth));
    expect(bootstrapInterval(values)).toEqual(bootstrapInterval(values));
  });
});

describe('the sign test', () => {
  test('of 8 wins and 2 losses gives 2 × (1 + 10 + 45) / 1024, from either side', () => {
    const [better, worse] = [
      [...repeat(1, 8), 0, 0],
      [...repeat(0, 8), 1, 1],
    ];
    expect(signTest(better, worse)).toEqual({ wins: 8, losses: 2, p: 0.109375 });
    expect(signTest(worse, better)).toEqual({ wins: 2, losses: 8, p: 0.109375 });
  });

  test('leaves ties out', () => {
    expect(signTest([...repeat(1, 5), ...repeat(0.3, 95)], [...repeat(0, 5), ...repeat(0.3, 95)])).toEqual({
      wins: 5,
      losses: 0,
      p: 0.0625,
    });
  });

  test('of equal rankings, or as many wins as losses, says nothing', () => {
    expect(signTest([0.3, 0.4], [0.3, 0.4])).toEqual({ wins: 0, losses: 0, p: 1 });
    expect(signTest([1, 0], [0, 1])).toEqual({ wins: 1, losses: 1, p: 1 });
  });

  test('is exact for as many questions as a set has', () => {
    // The probability of at most 225 heads in 500 tosses is 0.014163.
    const [ours, peer] = [
      [...repeat(1, 275), ...repeat(0, 225)],
      [...repeat(0, 275), ...repeat(1, 225)],
    ];
    expect(signTest(ours, peer).p).toBeCloseTo(0.028326, 6);
  });
});
