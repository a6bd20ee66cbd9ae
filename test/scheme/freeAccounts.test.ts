import { expect, test } from 'vitest';
import { createFreeAccounts, type ChannelAccount } from '../../src/scheme/settle/freeAccounts.ts';

const newAccount = (): ChannelAccount => ({
  signer: { address: 'G', sign: () => Promise.reject(new Error('nothing is signed here')) },
  sequence: 7n,
  isUnfit: false,
});

test('a payment keeps the number of an account that is lost meanwhile; the next payment reads it again', () => {
  const account = newAccount();
  const free = createFreeAccounts([account], true);
  free.take(account);
  free.lease(account, false);
  expect(account.sequence).toBe(7n);
  free.lease(account, true);
  free.add(account);
  expect([account.sequence, free.has(account)]).toEqual([undefined, true]);
});

test('an account that is leased again is read again', () => {
  const account = newAccount();
  const free = createFreeAccounts([account], false);
  expect(free.has(account)).toBe(false);
  free.lease(account, true);
  expect([account.sequence, free.has(account)]).toEqual([undefined, true]);
});

test('an account that is held while a payment has it is free only when both have let go', () => {
  const account = newAccount();
  const free = createFreeAccounts([account], true);
  free.take(account);
  const letGo = free.hold(account, () => {});
  free.add(account);
  expect(free.has(account)).toBe(false);
  letGo();
  expect(free.has(account)).toBe(true);
});
