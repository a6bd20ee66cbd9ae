/** What request bodies deserve: those that are JSON by the contract's schema, and those that are none. */
import { gzipSync } from 'node:zlib';
import type { Operation } from './document.ts';
import { type Expectation, createSchemas } from './judge.ts';

const MALFORMED = 'svc_malformed_request_body';
const LIMIT_BYTES = 1024 * 1024;
const DEPTH_LIMIT = 64;

/** Whose absence or type has a code of its own, in the order in which they are told; all other places come behind. */
export const CODES_AT: Readonly<Record<string, string>> = {
  '': MALFORMED,
  paymentPayload: 'svc_missing_payment_payload',
  paymentRequirements: 'svc_missing_payment_requirements',
  'paymentPayload.x402Version': 'svc_unsupported_x402_version',
};

export type ExpectedOfBody = (body: any) => Expectation;

/** `kinds` are the pairs of scheme and network that the service advertises; it is configured for `ownNetwork`. */
export function createExpectedOfBody(
  { body: schema }: Operation,
  { kinds, ownNetwork }: Served,
): ExpectedOfBody {
  const { placesOf } = createSchemas();
  return (body) => {
    const places = placesOf(schema!, body);
    const named = places.includes('paymentRequirements.network') ? undefined : networkIn(body);
    const network = named ?? ownNetwork;
    if (places.length > 0) {
      const first = Object.keys(CODES_AT).find((place) => places.includes(place));
      return { statuses: [400], codes: [first === undefined ? MALFORMED : CODES_AT[first]!], network };
    }
    const { scheme, network: asked } = body.paymentRequirements;
    return kinds.includes(`${scheme} ${asked}`)
      ? { statuses: [200], network }
      : { statuses: [200], codes: ['svc_unsupported_kind'], network };
  };
}

export interface Served {
  /** As `exact stellar:testnet`. */
  readonly kinds: readonly string[];
  readonly ownNetwork: string;
}

/** The network in a request, if it could be read. */
function networkIn(body: any): string | undefined {
  const network: unknown = body?.paymentRequirements?.network;
  return typeof network === 'string' && network !== '' ? network : undefined;
}

export interface RawBody {
  readonly rule: string;
  /** Made of the text of a good payment; undefined is no body at all. */
  bodyOf(payment: string): Buffer | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly expected: Expectation;
}

const JSON_TYPE = { 'content-type': 'application/json' };
const REFUSED: Expectation = { statuses: [400], codes: [MALFORMED] };
const TOO_LARGE: Expectation = { statuses: [413], codes: [MALFORMED] };
const READ: Expectation = { statuses: [200] };

const as = (
  rule: string,
  bytesOf: (text: string) => Buffer | string | undefined,
  expected: Expectation,
  headers: Readonly<Record<string, string>> = {},
): RawBody => ({
  rule,
  bodyOf(payment) {
    const bytes = bytesOf(payment);
    return typeof bytes === 'string' ? Buffer.from(bytes) : bytes;
  },
  headers: { ...JSON_TYPE, ...headers },
  expected,
});

const typed = (type: string, expected: Expectation): RawBody =>
  as(`the content type is ${type}`, (text) => text, expected, { 'content-type': type });

const padded = (text: string, length: number): string =>
  `${text.slice(0, -1)},"note":"${'x'.repeat(length)}"}`;
/** With so many bytes in all. */
const paddedTo = (text: string, bytes: number): string =>
  padded(text, bytes - Buffer.byteLength(padded(text, 0)));
const nested = (text: string, depth: number): string =>
  `${text.slice(0, -1)},"note":${'['.repeat(depth)}${']'.repeat(depth)}}`;

/** Ways to send a payment that cannot be read, or that can although they are unusual. */
export const RAW_BODIES: readonly RawBody[] = [
  as('there is no body', () => undefined, REFUSED),
  as('the body is empty', () => '', REFUSED),
  as('the body is white space', () => ' \n', REFUSED),
  ...['null', 'true', '1', '"x"', '[]', '[{}]'].map((json) => as(`the body is ${json}`, () => json, REFUSED)),
  as('the body breaks off', (text) => text.slice(0, -1), REFUSED),
  as('the body goes on after its end', (text) => `${text}{}`, REFUSED),
  as('the body has a comma too many', (text) => `${text.slice(0, -1)},}`, REFUSED),
  as('the body has a comment', (text) => `/* */${text}`, REFUSED),
  as('the body has single quotes', (text) => text.replaceAll('"', "'"), REFUSED),
  as('the body holds NaN', (text) => `${text.slice(0, -1)},"note":NaN}`, REFUSED),
  as(
    'the body names a field twice',
    (text) => `${text.slice(0, -1)},"x402Version":2,"x402Version":2}`,
    REFUSED,
  ),
  as(
    'the body is broken UTF-8',
    () => Buffer.concat([Buffer.from('{"note":"'), Buffer.from([0xc3, 0x28]), Buffer.from('"}')]),
    REFUSED,
  ),
  as('the body is UTF-16', (text) => Buffer.from(text, 'utf16le'), REFUSED),
  as('the body is a form', () => 'paymentPayload=1', REFUSED),
  as('the body begins with a byte order mark', (text) => `\ufeff${text}`, READ),
  as('the body is spaced out', (text) => JSON.stringify(JSON.parse(text), null, 2), READ),
  as('the body is nested as deep as allowed', (text) => nested(text, DEPTH_LIMIT - 1), READ),
  as('the body is nested too deep', (text) => nested(text, DEPTH_LIMIT), REFUSED),
  as('the body is nested very deep', (text) => nested(text, 100_000), REFUSED),
  as('the body is as long as allowed', (text) => paddedTo(text, LIMIT_BYTES), READ),
  as('the body is too long by a byte', (text) => paddedTo(text, LIMIT_BYTES + 1), TOO_LARGE),
  as('the body is far too long', (text) => padded(text, 2 * LIMIT_BYTES), TOO_LARGE),
  as('the body is gzip', (text) => gzipSync(text), READ, { 'content-encoding': 'gzip' }),
  as('the body is too long once decompressed', (text) => gzipSync(padded(text, 4 * LIMIT_BYTES)), TOO_LARGE, {
    'content-encoding': 'gzip',
  }),
  as('the body says gzip and is none', (text) => text, REFUSED, { 'content-encoding': 'gzip' }),
  as('the body is gzip that breaks off', (text) => gzipSync(text).subarray(0, -12), REFUSED, {
    'content-encoding': 'gzip',
  }),
  as('the body is in an unknown encoding', (text) => text, REFUSED, { 'content-encoding': 'compress' }),
  { rule: 'there is no content type', bodyOf: (text) => Buffer.from(text), headers: {}, expected: REFUSED },
  ...['text/plain', 'application/xml', 'application/x-www-form-urlencoded', 'application/jsonx', 'json'].map(
    (type) => typed(type, REFUSED),
  ),
  typed('application/json; charset=latin1', REFUSED),
  typed('application/json; charset=utf-8', READ),
  typed('Application/JSON;charset="UTF-8"', READ),
];
