import { expect, test, vi } from 'vitest';
import type { Field } from '../../bench/field.ts';
import type { MeasuredServer } from '../../bench/measuredServer.ts';
import { medianInterval } from '../../bench/statistics.ts';
import { takeTurns } from '../../bench/turns.ts';
import { createRandom } from '../catalog/random.ts';

const field = { payments: { next: async () => '' } } as unknown as Field;
const plan = { pairs: 50, blocks: 60, verifies: 4, warmUps: 1 };

/**
 * A machine on which all work takes up to four times as long in one minute as in another, each piece up to twice, and
 * each process up to 4 % more than another.
 */
function openMachine() {
  const random = createRandom(1);
  let done = 0;
  return {
    server(msEach: number): MeasuredServer {
      let cpuMs = 0;
      const ofProcess = msEach * (1 + 0.04 * random.next());
      return {
        cpuMs: async () => cpuMs,
        async post() {
          done += 1;
          cpuMs += ofProcess * (2.5 + 1.5 * Math.sin(done / 2_000)) * (1 + random.next());
          return { isValid: true };
        },
        async [Symbol.asyncDispose]() {},
      } as unknown as MeasuredServer;
    },
  };
}

test.each([0.97, 1, 1.01, 1.03])(
  'a service that takes × %d of another’s CPU is found to do so on an unsteady machine',
  async (factor) => {
    using _quiet = vi.spyOn(console, 'error').mockImplementation(() => {});
    const machine = openMachine();
    const startPair = async () => ({ ours: machine.server(factor), peer: machine.server(1) });
    const { ratio } = await takeTurns(field, startPair, plan);
    expect(ratio.low).toBeLessThanOrEqual(factor);
    expect(ratio.high).toBeGreaterThanOrEqual(factor);
    expect(ratio.high - ratio.low).toBeLessThan(0.03);
  },
);

test('the median lies within its interval, which is all of a few values', () => {
  expect(medianInterval([3, 1, 2])).toEqual({ low: 1, high: 3 });
  const hundred = Array.from({ length: 100 }, (_, nth) => nth + 1);
  expect(medianInterval(hundred)).toEqual({ low: 40, high: 61 });
});
