import { describe, expect, test } from 'vitest';
import { FIRST_SETTLED_AT, TERMS, type Draft } from './drafts.ts';
import { openCatalog } from './openCatalog.ts';
import { bazaar } from './settledPayments.ts';
import { lastingStores, stores } from './stores.ts';

const OTHER = { payTo: 'GOTHER' };
const PER_HOUR = 3;
const SECOND_MS = 1_000;
const HOUR_MS = 3_600 * SECOND_MS;

const after = (ms: number): Date => new Date(FIRST_SETTLED_AT.getTime() + ms);
const draft = (name: string, ms = 0, terms = {}): Draft => ({ name, settledAt: after(ms), terms });

describe.each(stores)('the new listings of one recipient in an hour, kept by $name,', (kind) => {
  const open = () => openCatalog(kind, { newListingsPerHour: PER_HOUR });
  const full = [draft('a'), draft('b', SECOND_MS), draft('c', 2 * SECOND_MS)];

  test('are as many as may be; then no more are made until the first is an hour old', () => {
    using catalog = open();
    expect(catalog.put(...full, draft('d', 3 * SECOND_MS))).toEqual([
      'listed',
      'listed',
      'listed',
      'too many new',
    ]);
    expect(catalog.list().pagination.total).toBe(3);
    expect(catalog.put(draft('d', HOUR_MS - SECOND_MS))).toEqual(['too many new']);
    expect(catalog.put(draft('d', HOUR_MS), draft('e', HOUR_MS))).toEqual(['listed', 'too many new']);
    expect(catalog.put(draft('e', HOUR_MS + SECOND_MS))).toEqual(['listed']);
  });

  test('leave the listings that there are to be refreshed', () => {
    using catalog = open();
    catalog.put(...full);
    expect(catalog.put(...full)).toEqual(['refreshed', 'refreshed', 'refreshed']);
  });

  test('are none of another recipient’s business', () => {
    using catalog = open();
    catalog.put(...full);
    expect(catalog.put(draft('d', 0, OTHER), draft('a', 0, OTHER))).toEqual(['listed', 'owned by another']);
  });

  test('are forgotten when they are older, and so are those that a clock which was wrong has put into the future', () => {
    using catalog = open();
    catalog.put(...full.map((one) => ({ ...one, settledAt: new Date('2099-01-01') })));
    catalog.put(draft('e', 0, OTHER));
    expect(catalog.put(draft('d'))).toEqual(['listed']);
  });

  test('still count after one that settled long before is listed late', () => {
    using catalog = open();
    catalog.put(...full.map(({ name }) => draft(name, 3 * HOUR_MS)));
    catalog.put(draft('late', 0, OTHER));
    expect(catalog.put(draft('d', 3 * HOUR_MS))).toEqual(['too many new']);
  });

  test('that are too many are refused with a code and what to do', () => {
    using catalog = open();
    catalog.put(...full);
    const submission = {
      extensionsText: JSON.stringify({ bazaar }),
      resource: { url: 'https://api.example.com/d' },
      requirements: TERMS,
      isStellarAsset: true,
      settledAt: FIRST_SETTLED_AT,
    };
    expect(catalog.submit(submission)).toEqual({
      code: 'bazaar_too_many_new_listings',
      message: expect.stringMatching(/within the last hour.* settle for it again later/),
    });
  });

  test('may be any number where there is no limit', () => {
    using catalog = openCatalog(kind);
    expect(new Set(catalog.put(...Array.from({ length: 300 }, (_, nth) => draft(`n${nth}`))))).toEqual(
      new Set(['listed']),
    );
  });
});

test.each(lastingStores)('they are counted over all connections, kept by $name', (kind) => {
  using catalog = openCatalog(kind, { newListingsPerHour: PER_HOUR });
  const other = catalog.connect();
  expect(catalog.put(draft('a'), draft('b'))).toEqual(['listed', 'listed']);
  expect(other.put(draft('c'), draft('d'))).toEqual(['listed', 'too many new']);
});
