import { expect, test } from 'vitest';
import { HTTP_LIMITS } from '../../src/http/limits.ts';
import { createPlaces, type PlacesLimit } from '../../src/http/places.ts';
import { SETTLE_LIMITS } from '../../src/scheme/index.ts';

const { places: PLACES, maxConnections } = HTTP_LIMITS;

test('an operation has so many places, a caller some of them; one that is given back is free again', () => {
  const places = createPlaces({ ...PLACES, verifyPayment: { inAll: 3, perCaller: 2 } });
  const take = (caller: string) => places.take('verifyPayment', caller);
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

test('the places taken are told for each operation that has a limit', () => {
  const places = createPlaces({ verifyPayment: { inAll: 3, perCaller: 2 } });
  const leave = places.take('verifyPayment', 'one')!;
  places.take('verifyPayment', 'other');
  expect(places.state()).toEqual([{ operationId: 'verifyPayment', taken: 2, inAll: 3 }]);
  leave();
  expect(places.state()).toEqual([{ operationId: 'verifyPayment', taken: 1, inAll: 3 }]);
});

test('fair shares leave room for whoever comes next, however many hold on to theirs', () => {
  const places = createPlaces({ verifyPayment: { inAll: 12, perCaller: 'fair' } });
  const takeAll = (caller: string): (() => void)[] => {
    const taken = [];
    for (let leave = take(caller); leave !== undefined; leave = take(caller)) taken.push(leave);
    return taken;
  };
  const take = (caller: string) => places.take('verifyPayment', caller);
  const [first, second] = [takeAll('a'), takeAll('b')];
  expect([first.length, second.length]).toEqual([6, 4]);
  expect(take('honest')).toBeDefined();
  for (const leave of first) leave();
  expect(takeAll('a')).toHaveLength(3);
  expect(take('another')).toBeDefined();
});

test('operations have their places each; the others always have room', () => {
  const places = createPlaces({ ...PLACES, verifyPayment: { inAll: 0, perCaller: 0 } });
  expect(places.take('verifyPayment', 'any')).toBeUndefined();
  for (let i = 0; i < 2_000; i += 1) expect(places.take('getHealth', 'any')).toBeDefined();
  expect(places.take('settlePayment', 'any')).toBeDefined();
});

test('whatever is worked on leaves connections to ask for something else', () => {
  const most = ({ inAll, perCaller }: PlacesLimit) => (perCaller === 'fair' ? inAll / 2 : perCaller);
  const sum = (of: (limit: PlacesLimit) => number) =>
    Object.values(PLACES).reduce((all, limit) => all + of(limit), 0);
  expect(sum(({ inAll }) => inAll)).toBeLessThan(maxConnections.inAll);
  expect(sum(most)).toBeLessThan(maxConnections.perCaller);
});

test('settlements that wait in the scheme have places, also if all come from one caller', () => {
  const { maxWaitingToBeVerified, maxVerifiedAtOnce, maxWaitingPayments, maxWaitingForAuthorizations } =
    SETTLE_LIMITS;
  const waiting = 2 * maxWaitingToBeVerified + maxWaitingPayments + maxWaitingForAuthorizations;
  const carried = 100;
  expect(waiting + maxVerifiedAtOnce + carried).toBeLessThan(Number(PLACES.settlePayment.perCaller));
});
