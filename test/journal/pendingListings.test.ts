import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createPendingListings } from '../../src/handlers/pendingListings.ts';
import { createSettlePayment } from '../../src/handlers/settlePayment.ts';
import { bazaar } from '../catalog/settledPayments.ts';
import { NETWORK, requirementsFor } from '../support/payments.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const A_MINUTE_MS = 60_000;

/** Settled payments whose listings are due, and a catalog that fails until told otherwise. */
function due(...hashes: string[]) {
  const state = { left: hashes, listed: [] as unknown[], tried: [] as unknown[], catalogFails: true };
  const listing = (resource: string) =>
    JSON.stringify({ paymentPayload: { resource }, paymentRequirements: {} });
  const journal = {
    unlisted: () => state.left,
    dueListing: (hash: string) => ({ listing: listing(hash) }),
    listed: (hash: string) => void (state.left = state.left.filter((one) => one !== hash)),
  };
  const catalog = {
    async submit({ resource }: { resource: unknown }) {
      state.tried.push(resource);
      if (state.catalogFails) return undefined;
      state.listed.push(resource);
      return { status: 'success' };
    },
  };
  const pending = createPendingListings({ journal, catalog } as never);
  return { state, pending, journal, catalog };
}

test('what a catalog that fails does not list is listed when it is back', async () => {
  const { state, pending } = due('a', 'b');
  await pending.list();
  await vi.advanceTimersByTimeAsync(A_MINUTE_MS);
  expect(state.listed).toEqual([]);
  state.catalogFails = false;
  await vi.advanceTimersByTimeAsync(A_MINUTE_MS);
  expect(state.listed).toEqual(['a', 'b']);
});

test('so is a single payment that the catalog had no time for', async () => {
  const { state, pending } = due('a');
  state.catalogFails = false;
  pending.listLater();
  pending.listLater();
  await vi.advanceTimersByTimeAsync(A_MINUTE_MS);
  expect(state.listed).toEqual(['a']);
});

test('so is a payment that settles while the catalog fails', async () => {
  const { state, pending, journal, catalog } = due('a');
  const kind = { x402Version: 2, scheme: 'exact', network: NETWORK };
  const scheme = { kind, settle: async () => ({ success: true, transaction: 'a' }) };
  const deps = { scheme, journal, catalog, pendingListings: pending, budgetOf: () => undefined };
  const settlePayment = createSettlePayment(deps as never);
  const paymentPayload = {
    x402Version: 2,
    resource: { url: 'https://seller.test/a' },
    extensions: { bazaar },
  };
  const body = { paymentPayload, paymentRequirements: requirementsFor('GALICE') };
  expect(await settlePayment({ body, caller: {} } as never)).toEqual({
    status: 200,
    body: expect.anything(),
    headers: {},
  });
  expect(state.tried).toHaveLength(1);
  state.catalogFails = false;
  await vi.advanceTimersByTimeAsync(A_MINUTE_MS);
  expect(state.listed).toEqual(['a']);
});

test('a catalog that fails again and again is left alone for a while, and those behind come next', async () => {
  const hashes = Array.from({ length: 50 }, (_, nth) => `hash${nth}`);
  const { state, pending } = due(...hashes);
  await pending.list();
  expect(state.tried).toEqual(hashes.slice(0, 20));
  await vi.advanceTimersByTimeAsync(15_000);
  expect(state.tried).toEqual(hashes.slice(0, 40));
  state.catalogFails = false;
  await vi.advanceTimersByTimeAsync(A_MINUTE_MS);
  expect([...state.listed].sort()).toEqual([...hashes].sort());
});

test('what has been listed is looked for no more, and nothing is after the service has closed', async () => {
  const { state, pending } = due('a');
  state.catalogFails = false;
  await pending.list();
  expect(vi.getTimerCount()).toBe(0);
  state.left = ['b'];
  state.catalogFails = true;
  pending.listLater();
  await pending.close();
  await pending.list();
  pending.listLater();
  expect(vi.getTimerCount()).toBe(0);
});
