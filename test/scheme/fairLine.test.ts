import { expect, test } from 'vitest';
import { createFairLine } from '../../src/scheme/settle/fairLine.ts';
import { sendersAndPayersAlike, sendersFirst } from '../../src/scheme/settle/parties.ts';
import { createRandom, type Random } from '../catalog/random.ts';

/** A line, and the names of those in the order in which they were served. */
function openLine({ maxPlaces = 1_000, maxPlacesPerParty = 100, order = sendersAndPayersAlike } = {}) {
  const line = createFairLine<'turn'>({ maxPlaces, maxPlacesPerParty }, order, () => performance.now());
  const left: string[] = [];
  return {
    line,
    left,
    join(
      name: string,
      payer: string,
      recipient: string,
      { places = 1, ms = 60_000, sender }: { places?: number; ms?: number; sender?: string } = {},
    ) {
      const deadline = performance.now() + ms;
      void line.wait({ payer, recipient, sender, places, deadline }).then((how) => {
        left.push(how === 'turn' ? name : `${name}: ${how}`);
      });
    },
    async serve(times = 1) {
      for (let time = 0; time < times; time++) line.hand('turn', () => true);
      await new Promise(setImmediate);
      return left.splice(0);
    },
  };
}

test('payments of one payer are served in the order in which they came', async () => {
  const { join, serve } = openLine();
  for (const name of ['a', 'b', 'c']) join(name, 'payer', 'seller');
  expect(await serve(3)).toEqual(['a', 'b', 'c']);
});

test('a single payment comes next, however many one payer has in line, to whomever', async () => {
  const { join, serve } = openLine();
  for (let nth = 0; nth < 100; nth++) join(`flood ${nth}`, 'attacker', `seller ${nth}`);
  await serve();
  join('honest', 'buyer', 'shop');
  expect(await serve()).toEqual(['honest']);
});

test('a single payment comes next, however many wait for one recipient, from whomever', async () => {
  const { join, serve } = openLine();
  for (let nth = 0; nth < 100; nth++) join(`flood ${nth}`, `payer ${nth}`, 'attacker');
  await serve();
  join('honest', 'buyer', 'shop');
  expect(await serve()).toEqual(['honest']);
});

test('many payments of one payer to a shop hold up no other payer of that shop', async () => {
  const { join, serve } = openLine();
  for (let nth = 0; nth < 100; nth++) join(`flood ${nth}`, 'attacker', 'shop');
  await serve();
  join('honest', 'buyer', 'shop');
  expect(await serve()).toEqual(['honest']);
});

test('payers with many payments each take turns', async () => {
  const { join, serve } = openLine();
  for (let nth = 0; nth < 3; nth++) join(`a${nth}`, 'a', 'shop of a');
  for (let nth = 0; nth < 3; nth++) join(`b${nth}`, 'b', 'shop of b');
  expect(await serve(6)).toEqual(['a0', 'b0', 'a1', 'b1', 'a2', 'b2']);
});

test('a payer, and a recipient, has no more places than one may have', async () => {
  const { join, serve } = openLine({ maxPlacesPerParty: 2 });
  for (const name of ['a', 'b', 'c']) join(name, 'payer', `seller of ${name}`);
  for (const name of ['d', 'e', 'f']) join(name, `payer of ${name}`, 'seller');
  expect(await serve(0)).toEqual(['c: no room', 'f: no room']);
});

test('a full line makes room for a newcomer at the expense of whoever holds the most', async () => {
  const { join, serve } = openLine({ maxPlaces: 4, maxPlacesPerParty: 4 });
  for (const name of ['a', 'b', 'c']) join(name, 'greedy', `seller of ${name}`);
  join('d', 'modest', 'shop');
  join('newcomer', 'other', 'another shop');
  expect(await serve(0)).toEqual(['c: no room']);
  join('more', 'greedy', 'seller');
  expect(await serve(0)).toEqual(['more: no room']);
});

test('what takes more room counts for several', async () => {
  const { join, serve } = openLine({ maxPlaces: 10, maxPlacesPerParty: 4 });
  join('large', 'a', 'shop', { places: 4 });
  join('another', 'a', 'another shop');
  expect(await serve(0)).toEqual(['another: no room']);
});

test('whoever waited too long leaves, and its places are free', async () => {
  const { join, serve, line, left } = openLine({ maxPlaces: 1 });
  join('late', 'a', 'shop', { ms: 5 });
  await expect.poll(() => left.splice(0)).toEqual(['late: too late']);
  expect(line.length).toBe(0);
  join('next', 'b', 'shop');
  expect(await serve()).toEqual(['next']);
});

test('those that may not take it are passed over, and keep their turn', async () => {
  const { join, line, left } = openLine();
  join('a', 'payer', 'shop');
  join('b', 'other', 'shop');
  line.hand('turn', ({ payer }) => payer !== 'payer');
  line.hand('turn', () => true);
  await new Promise(setImmediate);
  expect(left).toEqual(['b', 'a']);
  expect(line.hand('turn', () => true)).toBeUndefined();
});

test('whoever has what others wait for, without having waited, comes after them', async () => {
  const { line, join, serve } = openLine();
  line.admit({ payer: 'attacker', recipient: 'attacker' });
  join('flood', 'attacker', 'attacker');
  join('honest', 'buyer', 'shop');
  expect(await serve(2)).toEqual(['honest', 'flood']);
  line.leave({ payer: 'attacker', recipient: 'attacker' });
});

test('a shop that is always asked for gets its turn among newcomers that never end', async () => {
  const { join, serve } = openLine({ maxPlacesPerParty: 50 });
  for (let nth = 0; nth < 40; nth++) join(`shop ${nth}`, `customer ${nth}`, 'shop');
  for (let nth = 0; nth < 10; nth++) join(`other ${nth}`, `payer ${nth}`, `seller ${nth}`);
  const served: string[] = [];
  for (let round = 0; round < 100; round++) {
    served.push(...(await serve()));
    join(`newcomer ${round}`, `new ${round}`, `new seller ${round}`);
  }
  expect(served.filter((name) => name.startsWith('shop')).length).toBeGreaterThan(5);
});

test('one payer that fills the places of a recipient makes room for another payer of it', async () => {
  const { join, serve } = openLine({ maxPlacesPerParty: 10 });
  for (let nth = 0; nth < 10; nth++) join(`flood ${nth}`, 'attacker', 'shop');
  join('honest', 'buyer', 'shop');
  expect(await serve(0)).toEqual(['flood 9: no room']);
  join('more', 'attacker', 'shop');
  expect(await serve(0)).toEqual(['more: no room']);
});

test('nobody is sent away for a newcomer that finds no room all the same', async () => {
  const { join, serve } = openLine({ maxPlaces: 10, maxPlacesPerParty: 10 });
  for (let nth = 0; nth < 5; nth++) join(`a${nth}`, 'a', `shop ${nth}`);
  for (let nth = 0; nth < 5; nth++) join(`b${nth}`, `b${nth}`, `another ${nth}`);
  join('large', 'newcomer', 'elsewhere', { places: 4 });
  expect(await serve(0)).toEqual(['large: no room']);
});

test.each(Object.entries({ sendersFirst, sendersAndPayersAlike }))(
  'with %s, a single payment comes next, however many one sender has in line, from and to whomever',
  async (_name, order) => {
    const { join, serve } = openLine({ order });
    for (let nth = 0; nth < 100; nth++)
      join(`flood ${nth}`, `payer ${nth}`, `seller ${nth}`, { sender: 'attacker' });
    await serve();
    join('honest', 'buyer', 'shop', { sender: 'shop’s server' });
    expect(await serve()).toEqual(['honest']);
  },
);

test('a line that one sender has filled with invented parties makes room for another', async () => {
  const { join, serve } = openLine({ maxPlaces: 100 });
  for (let nth = 0; nth < 100; nth++)
    join(`flood ${nth}`, `payer ${nth}`, `seller ${nth}`, { sender: 'attacker' });
  join('honest', 'buyer', 'shop', { sender: 'shop’s server' });
  expect(await serve(0)).toEqual(['flood 99: no room']);
  join('more', 'payer', 'seller', { sender: 'attacker' });
  expect(await serve(0)).toEqual(['more: no room']);
});

test('behind one sender, such as a gateway, payers take turns and make room as ever', async () => {
  const { join, serve } = openLine({ maxPlaces: 100 });
  const sender = 'gateway';
  for (let nth = 0; nth < 100; nth++) join(`flood ${nth}`, 'attacker', `seller ${nth}`, { sender });
  await serve();
  join('honest', 'buyer', 'shop', { sender });
  join('second', 'another buyer', 'another shop', { sender });
  expect(await serve(2)).toEqual(['flood 99: no room', 'honest', 'second']);
});

/** Returns a party of the flood: one of its own, the same for many, or that of the single payment. */
function randomParty(random: Random, kind: string, nth: number): string {
  return random.pick([`${kind} ${nth}`, `${kind} of the flood`, `the single ${kind}`]);
}

test.each([1, 4])(
  'of %i at a time, a single payment is among the next, whatever the 1,000 of one sender are',
  async (atOnce) => {
    for (let seed = 1; seed <= 50; seed++) {
      const random = createRandom(seed);
      const { line, join, serve } = openLine({ maxPlaces: 2_000, maxPlacesPerParty: 2_000 });
      for (let nth = 0; nth < 1_000; nth++) {
        const parties = [randomParty(random, 'payer', nth), randomParty(random, 'shop', nth)] as const;
        join(`flood ${nth}`, ...parties, { sender: 'attacker' });
      }
      await serve(random.below(20));
      join('single', 'the single payer', 'the single shop', { sender: 'another' });
      expect(await serve(atOnce), `seed ${seed}`).toContain('single');
      line.dismiss();
    }
  },
);

test.each([
  ['payers', (nth: number) => ({ payer: `payer ${nth}`, sender: 'attacker' })],
  ['senders', (nth: number) => ({ payer: 'attacker', sender: `sender ${nth}` })],
])('many %s give no more turns than one', async (_which, partiesOf) => {
  const { join, serve } = openLine();
  for (let nth = 0; nth < 50; nth++) {
    const { payer, sender } = partiesOf(nth);
    join(`flood ${nth}`, payer, `seller ${nth}`, { sender });
    join(`honest ${nth}`, `buyer ${nth}`, 'shop', { sender: 'shop’s server' });
  }
  const served = await serve(20);
  expect(served.filter((name) => name.startsWith('honest'))).toHaveLength(10);
});

test('callers that pay one shop wait no longer, however many payments one caller has in line', async () => {
  const { join, serve } = openLine({ maxPlacesPerParty: 1_000 });
  for (let nth = 0; nth < 100; nth++) join(`flood ${nth}`, `payer ${nth}`, 'seller', { sender: 'attacker' });
  await serve();
  for (let nth = 0; nth < 50; nth++) join(`${nth}`, `buyer ${nth}`, 'shop', { sender: `caller ${nth}` });
  const flooded = (await serve(51)).filter((name) => name.startsWith('flood'));
  expect(flooded.length).toBeLessThanOrEqual(1);
});

test.each([
  ['payer', (nth: number) => ({ payer: 'token', recipient: `seller ${nth}` })],
  ['recipient', (nth: number) => ({ payer: `payer ${nth}`, recipient: 'shop' })],
])('one sender that fills the places of a %s makes room for another sender', async (_which, partiesOf) => {
  const { join, serve } = openLine({ maxPlacesPerParty: 10 });
  for (let nth = 0; nth < 10; nth++) {
    const { payer, recipient } = partiesOf(nth);
    join(`flood ${nth}`, payer, recipient, { sender: 'attacker' });
  }
  join('honest', partiesOf(10).payer, partiesOf(10).recipient, { sender: 'shop’s server' });
  expect(await serve(0)).toEqual(['flood 9: no room']);
  join('more', partiesOf(11).payer, partiesOf(11).recipient, { sender: 'attacker' });
  expect(await serve(0)).toEqual(['more: no room']);
});

test('nobody of its payer is sent away for a newcomer that finds no room in the whole line', async () => {
  const { join, serve } = openLine({ maxPlaces: 14, maxPlacesPerParty: 10 });
  for (let nth = 0; nth < 8; nth++) join(`flood ${nth}`, 'token', `seller ${nth}`, { sender: 'attacker' });
  for (let nth = 0; nth < 6; nth++) join(`a${nth}`, 'a', `shop ${nth}`, { sender: 'a' });
  join('large', 'token', 'shop', { sender: 'another', places: 5 });
  expect(await serve(0)).toEqual(['large: no room']);
});
