import { describe, expect, test } from 'vitest';
import { listingTextOf, readListingText } from '../../src/catalog/index.ts';
import { readDeclaration } from '../../src/catalog/declaration/read.ts';
import { LISTING_LIMIT_BYTES } from '../../src/journal/limits.ts';
import { TERMS } from './drafts.ts';
import { bazaar } from './settledPayments.ts';

const KIB = 1024;

function textOf(resource: unknown, extensions: unknown = { bazaar }, terms: object = {}) {
  const paymentPayload = { x402Version: 2, resource, extensions } as never;
  return listingTextOf({ paymentPayload, paymentRequirements: { ...TERMS, ...terms } });
}

/** An extension of exactly so many bytes as compact JSON. */
function extensionsOf(bytes: number): unknown {
  const empty = { bazaar: { ...bazaar, title: '' } };
  return { bazaar: { ...bazaar, title: 'x'.repeat(bytes - JSON.stringify(empty).length) } };
}

/** A request body holds no more than this. */
const LONG = 500_000;

test('the largest that there can be is what the journal keeps', () => {
  const long = '\u0001'.repeat(LONG);
  const resource = {
    url: long,
    description: long,
    mimeType: '語'.repeat(255),
    serviceName: '"'.repeat(32),
    tags: Array.from({ length: 900 }, (_, nth) => `${nth}`.padEnd(32, '"')),
    iconUrl: `https://seller.example/${'語'.repeat(220)}`,
    more: long,
  };
  const text = textOf(resource, extensionsOf(64 * KIB), { extra: { long } });
  expect(Buffer.byteLength(text as string)).toBeGreaterThan(88 * KIB);
  expect(Buffer.byteLength(text as string)).toBeLessThanOrEqual(LISTING_LIMIT_BYTES);
});

test('of a larger extension nothing is kept but why it is not listed', () => {
  expect(
    textOf({ url: 'https://seller.example/', more: 'x'.repeat(LONG) }, extensionsOf(64 * KIB + 1)),
  ).toEqual({
    extensions: null,
    resource: { url: 'https://seller.example/' },
    requirements: TERMS,
    refusal: { code: 'bazaar_extensions_too_large', message: expect.stringContaining('65537 bytes') },
  });
});

test.each([undefined, null, 5, 'bazaar', [], {}, { other: {} }])(
  'extensions %j ask for no listing',
  (extensions) => {
    expect(textOf({ url: 'https://seller.example/' }, extensions ?? null)).toBeUndefined();
  },
);

test('what is no part of a listing is left out', () => {
  const text = textOf(
    { url: 'https://seller.example/', secret: 1 },
    { bazaar, other: 'a secret of the buyer' },
  );
  expect(text).not.toContain('secret');
});

const url = 'https://seller.example/weather?city=Lisbon';
const halfway = `https://seller.example/${'a'.repeat(2_027)}`;

describe('a listing is the same, and a defect too, whether made of the text or of the whole request', () => {
  test.each<[string, unknown]>([
    [
      'all is well',
      {
        url,
        description: 'Rain',
        mimeType: 'a/b',
        serviceName: 'Rain',
        tags: ['a', 'A', 'b'],
        iconUrl: 'https://a.example/i.png',
      },
    ],
    [
      'a field is too long',
      { url, description: 'é'.repeat(9_000), mimeType: 'x'.repeat(300), serviceName: 'x'.repeat(33) },
    ],
    ['half a character is at the cut', { url, description: '\u{1F600}'.repeat(4_000), mimeType: '\ud800' }],
    ['it is full of control characters', { url, description: '\u0001'.repeat(9_000) }],
    [
      'fields are of another type',
      { url, description: {}, mimeType: [], serviceName: 5, tags: 'a', iconUrl: null },
    ],
    ['fields are missing', { url }],
    ['the URL is missing', {}],
    ['the URL is an object', { url: { a: 'x'.repeat(LONG) } }],
    ['the URL is an array', { url: ['x'.repeat(LONG)] }],
    ['the URL is a number', { url: 5 }],
    ['the URL is too long', { url: `https://seller.example/${'a'.repeat(LONG)}` }],
    ['half a character is where the URL is cut', { url: `${halfway}${'\u{1F600}'.repeat(9)}` }],
    ['the resource is a text', 'x'.repeat(LONG)],
    ['the resource is an array', [{ url }]],
    ['the resource is null', null],
    ['the resource is missing', undefined],
  ])('%s', (_, resource) => {
    const read = readListingText(textOf(resource) as string);
    expect(readDeclaration((read.extensions as { bazaar: unknown }).bazaar, read.resource)).toEqual(
      readDeclaration(bazaar, resource),
    );
    expect(read.requirements).toEqual(TERMS);
  });
});
