import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createTurns } from '../../src/http/turns.ts';
import { payment, post, startService } from './support.ts';

test('one has its turn for each of the event loop, in the order of arrival', async () => {
  const turns = createTurns({ inAll: 10, perAddress: 10 });
  const had: number[] = [];
  for (const nth of [1, 2, 3]) void turns.next('a').then(() => had.push(nth));
  const seen: number[] = [];
  for (let i = 0; i < 5; i += 1) {
    await turn();
    seen.push(had.length);
  }
  expect(had).toEqual([1, 2, 3]);
  expect(seen.some((count, i) => count - (seen[i - 1] ?? 0) > 1)).toBe(false);
});

test('where too many wait, the oldest of the greediest address gets no turn', async () => {
  const turns = createTurns({ inAll: 4, perAddress: 3 });
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
