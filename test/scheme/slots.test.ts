import { expect, test } from 'vitest';
import { createSlots } from '../../src/scheme/settle/slots.ts';

const now = () => performance.now();
const waiter = (payer: string) => ({ payer, recipient: 'shop', places: 1, deadline: now() + 60_000 });

/** Slots, work that ends when told, and what was begun, in order. */
function openSlots(atOnce: number) {
  const slots = createSlots({ atOnce, maxPlaces: 10, maxPlacesPerParty: 10 }, now);
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  return {
    begun,
    run: (name: string, isPreferred = false) =>
      slots.run(waiter(name), isPreferred, () => {
        begun.push(name);
        return new Promise<string>((resolve) => ends.set(name, () => resolve(name)));
      }),
    async end(name: string) {
      ends.get(name)!();
      await new Promise(setImmediate);
    },
  };
}

test('no more goes on at a time than there are slots, and each that ends lets another begin', async () => {
  const { run, end, begun } = openSlots(2);
  const all = ['a', 'b', 'c', 'd'].map((name) => run(name));
  expect(begun).toEqual(['a', 'b']);
  for (const name of ['a', 'b', 'c', 'd']) await end(name);
  expect(await Promise.all(all)).toEqual(['a', 'b', 'c', 'd']);
});

test('what is preferred is begun before all others that wait', async () => {
  const { run, end, begun } = openSlots(1);
  void run('first');
  for (const name of ['flood 1', 'flood 2']) void run(name);
  void run('honest', true);
  await end('first');
  await end('honest');
  expect(begun).toEqual(['first', 'honest', 'flood 1']);
});

test('what is not preferred gets every fourth slot', async () => {
  const { run, end, begun } = openSlots(1);
  void run('first');
  for (let nth = 0; nth < 6; nth++) void run(`preferred ${nth}`, true);
  void run('other');
  await end('first');
  for (let nth = 0; nth < 3; nth++) await end(begun.at(-1)!);
  expect(begun).toContain('other');
});

test('work that fails gives its slot back', async () => {
  const slots = createSlots({ atOnce: 1, maxPlaces: 1, maxPlacesPerParty: 1 }, now);
  const failing = slots.run(waiter('a'), false, () => Promise.reject(new Error('out of order')));
  const next = slots.run(waiter('b'), false, async () => 'done');
  await expect(failing).rejects.toThrow('out of order');
  expect(await next).toBe('done');
});

test('what finds no room is not begun', async () => {
  const slots = createSlots({ atOnce: 0, maxPlaces: 0, maxPlacesPerParty: 0 }, now);
  expect(await slots.run(waiter('a'), false, async () => 'done')).toBe('no room');
});
