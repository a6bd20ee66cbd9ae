import { expect, test } from 'vitest';
import { countedAddress } from '../../src/net/countedAddress.ts';
import { createShares } from '../../src/http/shares.ts';

/** Shares of `perCaller` and `inAll`, and the names of those that gave way, in order. */
function openShares(limits: { inAll: number; perCaller: number }) {
  const shares = createShares(limits);
  const gaveWay: string[] = [];
  return {
    gaveWay,
    take: (name: string, caller: string, amount = 1) =>
      shares.take(caller, amount, () => void gaveWay.push(name)),
  };
}

test('the oldest share of a caller that holds too much gives way', () => {
  const { take, gaveWay } = openShares({ inAll: 100, perCaller: 2 });
  for (const name of ['first', 'second', 'third', 'fourth']) take(name, 'greedy');
  take('alone', 'modest');
  expect(gaveWay).toEqual(['first', 'second']);
});

test('where there is no room the oldest of the greediest caller gives way, and a newcomer gets in', () => {
  const { take, gaveWay } = openShares({ inAll: 4, perCaller: 4 });
  take('early', 'modest');
  for (const name of ['first', 'second', 'third']) take(name, 'greedy');
  take('newcomer', 'other');
  expect(gaveWay).toEqual(['first']);
});

test('what is kept does not give way, and does again when it is offered', () => {
  const { take, gaveWay } = openShares({ inAll: 2, perCaller: 2 });
  const first = take('first', 'one');
  first.keep();
  take('second', 'one');
  take('third', 'one');
  expect(gaveWay).toEqual(['second']);
  first.offer();
  take('fourth', 'one');
  expect(gaveWay).toEqual(['second', 'third']);
});

test('where all others are kept, the newcomer itself gives way', () => {
  const { take, gaveWay } = openShares({ inAll: 1, perCaller: 1 });
  take('first', 'one').keep();
  take('second', 'other');
  expect(gaveWay).toEqual(['second']);
});

test('a share that grows makes room, of others or of itself', () => {
  const { take, gaveWay } = openShares({ inAll: 10, perCaller: 8 });
  const small = take('small', 'modest');
  const large = take('large', 'greedy');
  large.resize(8);
  expect(gaveWay).toEqual([]);
  small.resize(3);
  expect(gaveWay).toEqual(['large']);
  small.resize(9);
  expect(gaveWay).toEqual(['large', 'small']);
});

test('what was released, or has given way, takes no room', () => {
  const { take, gaveWay } = openShares({ inAll: 2, perCaller: 2 });
  const first = take('first', 'one');
  const second = take('second', 'two');
  first.release();
  first.release();
  take('third', 'three');
  expect(gaveWay).toEqual([]);
  take('fourth', 'four');
  expect(gaveWay).toEqual(['second']);
  second.resize(5);
  second.offer();
  second.release();
  take('fifth', 'five');
  expect(gaveWay).toEqual(['second', 'third']);
});

test.each([
  ['127.0.0.1', '127.0.0.1'],
  ['::ffff:10.1.2.3', '10.1.2.3'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:db8::1', '2001:db8:0:0'],
  ['::1', '0:0:0:0'],
  ['fe80::1%eth0', 'fe80:0:0:0'],
  ['', ''],
])('%s is counted for %s', (remoteAddress, address) => {
  expect(countedAddress(remoteAddress)).toBe(address);
});
