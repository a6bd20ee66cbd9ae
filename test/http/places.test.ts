import { expect, test } from 'vitest';
import { HTTP_LIMITS } from '../../src/http/limits.ts';
import { createPlaces, type PlacesLimit } from '../../src/http/places.ts';
import { SETTLE_LIMITS } from '../../src/scheme/index.ts';

const { places: PLACES, maxConnections } = HTTP_LIMITS;

test('an operation has so many places, an address some of them; one that is given back is free again', () => {
  const places = createPlaces({ ...PLACES, verifyPayment: { inAll: 3, perAddress: 2 } });
  const take = (address: string) => places.take('verifyPayment', address);
  const [first, second] = [take('greedy'), take('greedy')];
  expect(take('greedy')).toBeUndefined();
  expect(take('modest')).toBeDefined();
  expect(take('late')).toBeUndefined();
  first!();
  first!();
  expect(take('late')).toBeDefined();
  expect(take('modest')).toBeUndefined();
  second!();
  expect(take('greedy')).toBeDefined();
});

test('fair shares leave room for whoever comes next, however many hold on to theirs', () => {
  const places = createPlaces({ verifyPayment: { inAll: 12, perAddress: 'fair' } });
  const takeAll = (address: string): (() => void)[] => {
    const taken = [];
    for (let leave = take(address); leave !== undefined; leave = take(address)) taken.push(leave);
    return taken;
  };
  const take = (address: string) => places.take('verifyPayment', address);
  const [first, second] = [takeAll('a'), takeAll('b')];
  expect([first.length, second.length]).toEqual([6, 4]);
  expect(take('honest')).toBeDefined();
  for (const leave of first) leave();
  expect(takeAll('a')).toHaveLength(3);
  expect(take('another')).toBeDefined();
});

test('operations have their places each; the others always have room', () => {
  const places = createPlaces({ ...PLACES, verifyPayment: { inAll: 0, perAddress: 0 } });
  expect(places.take('verifyPayment', 'any')).toBeUndefined();
  for (let i = 0; i < 2_000; i += 1) expect(places.take('getHealth', 'any')).toBeDefined();
  expect(places.take('settlePayment', 'any')).toBeDefined();
});

test('whatever is worked on leaves connections to ask for something else', () => {
  const most = ({ inAll, perAddress }: PlacesLimit) => (perAddress === 'fair' ? inAll / 2 : perAddress);
  const sum = (of: (limit: PlacesLimit) => number) =>
    Object.values(PLACES).reduce((all, limit) => all + of(limit), 0);
  expect(sum(({ inAll }) => inAll)).toBeLessThan(maxConnections.inAll);
  expect(sum(most)).toBeLessThan(maxConnections.perAddress);
});

test('settlements that wait in the scheme have places, also if all come from one address', () => {
  const { maxWaitingToBeVerified, maxVerifiedAtOnce, maxWaitingPayments, maxWaitingForAuthorizations } =
    SETTLE_LIMITS;
  const waiting = 2 * maxWaitingToBeVerified + maxWaitingPayments + maxWaitingForAuthorizations;
  const carried = 100;
  expect(waiting + maxVerifiedAtOnce + carried).toBeLessThan(Number(PLACES.settlePayment.perAddress));
});
