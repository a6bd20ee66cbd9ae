import { expect, test } from 'vitest';
import { createTurns } from '../../src/http/turns.ts';
import { payment, post, startService } from './support.ts';

const WORK_MS = 20;

test('each has a turn of its own, in the order of arrival, and others get as much time between', async () => {
  const turns = createTurns({ inAll: 10, perCaller: 10 });
  const had: { nth: number; fromMs: number; toMs: number }[] = [];
  const work = async (nth: number): Promise<void> => {
    await turns.next('a');
    const fromMs = performance.now();
    while (performance.now() < fromMs + WORK_MS);
    had.push({ nth, fromMs, toMs: performance.now() });
  };
  await Promise.all([1, 2, 3].map(work));
  expect(had.map(({ nth }) => nth)).toEqual([1, 2, 3]);
  const pauses = had.slice(1).map(({ fromMs }, index) => fromMs - had[index]!.toMs);
  expect(Math.min(...pauses)).toBeGreaterThan(WORK_MS / 2);
});

test('where too many wait, the oldest of the greediest caller gets no turn', async () => {
  const turns = createTurns({ inAll: 4, perCaller: 3 });
  const answers = ['modest', ...Array.from({ length: 4 }, () => 'greedy'), 'late'].map((of) =>
    turns.next(of),
  );
  expect(await Promise.all(answers)).toEqual([true, false, false, true, true, true]);
  expect(await turns.next('greedy')).toBe(true);
});

test('large bodies let small ones pass', async () => {
  const order: string[] = [];
  const { url } = await startService({
    verify: async ({ paymentPayload }) => {
      order.push(paymentPayload['note'] === undefined ? 'small' : 'large');
      return { isValid: true };
    },
  });
  const bodyOf = (more: object): string =>
    JSON.stringify({ ...payment, paymentPayload: { ...payment.paymentPayload, ...more } });
  const large = bodyOf({ note: 'large', filler: 'x'.repeat(200_000) });
  const sent = Array.from({ length: 20 }, () => post(`${url}/verify`, large));
  const small = post(`${url}/verify`, bodyOf({}));
  for (const answer of await Promise.all([...sent, small])) expect(answer.status).toBe(200);
  expect(order).toHaveLength(21);
  expect(order.at(-1)).toBe('large');
});
