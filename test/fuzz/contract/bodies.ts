/** What request bodies deserve: those that are JSON by the contract's schema, and those that are none. */
import { gzipSync } from 'node:zlib';
import type { Operation } from './document.ts';
import type { Expectation } from './judge.ts';
import { createSchemas } from './judge.ts';

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
    const network = networkIn(body) ?? ownNetwork;
    const places = placesOf(schema!, body);
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
  readonly body?: Buffer;
  readonly headers: Readonly<Record<string, string>>;
  readonly expected: Expectation;
}

const JSON_TYPE = { 'content-type': 'application/json' };
const REFUSED: Expectation = { statuses: [400], codes: [MALFORMED] };
const TOO_LARGE: Expectation = { statuses: [413], codes: [MALFORMED] };
const READ: Expectation = { statuses: [200] };

/** Ways to send a payment that cannot be read, or that can although they are unusual. `payment` is a good one. */
export function rawBodies(payment: object): RawBody[] {
  const text = JSON.stringify(payment);
  const bytes = Buffer.from(text);
  const as = (
    rule: string,
    body: Buffer | string | undefined,
    expected: Expectation,
    headers = {},
  ): RawBody => ({
    rule,
    ...(body !== undefined && { body: Buffer.from(body as string) }),
    headers: { ...JSON_TYPE, ...headers },
    expected,
  });
  const typed = (type: string, expected: Expectation): RawBody =>
    as(`the content type is ${type}`, bytes, expected, { 'content-type': type });
  const padded = (length: number): string => `${text.slice(0, -1)},"note":"${'x'.repeat(length)}"}`;
  const nested = (depth: number): string =>
    `${text.slice(0, -1)},"note":${'['.repeat(depth)}${']'.repeat(depth)}}`;
  const overhead = Buffer.byteLength(padded(0));
  return [
    as('there is no body', undefined, REFUSED),
    as('the body is empty', '', REFUSED),
    as('the body is white space', ' \n', REFUSED),
    ...['null', 'true', '1', '"x"', '[]', '[{}]'].map((json) => as(`the body is ${json}`, json, REFUSED)),
    as('the body breaks off', text.slice(0, -1), REFUSED),
    as('the body goes on after its end', `${text}{}`, REFUSED),
    as('the body has a comma too many', `${text.slice(0, -1)},}`, REFUSED),
    as('the body has a comment', `/* */${text}`, REFUSED),
    as('the body has single quotes', text.replaceAll('"', "'"), REFUSED),
    as('the body holds NaN', `${text.slice(0, -1)},"note":NaN}`, REFUSED),
    as('the body names a field twice', `${text.slice(0, -1)},"x402Version":2,"x402Version":2}`, REFUSED),
    as(
      'the body is broken UTF-8',
      Buffer.concat([Buffer.from('{"note":"'), Buffer.from([0xc3, 0x28]), Buffer.from('"}')]),
      REFUSED,
    ),
    as('the body is UTF-16', Buffer.from(text, 'utf16le'), REFUSED),
    as('the body is a form', 'paymentPayload=1', REFUSED),
    as('the body begins with a byte order mark', `\ufeff${text}`, READ),
    as('the body is spaced out', JSON.stringify(payment, null, 2), READ),
    as('the body is nested as deep as allowed', nested(DEPTH_LIMIT - 1), READ),
    as('the body is nested too deep', nested(DEPTH_LIMIT), REFUSED),
    as('the body is nested very deep', nested(100_000), REFUSED),
    as('the body is as long as allowed', padded(LIMIT_BYTES - overhead), READ),
    as('the body is too long by a byte', padded(LIMIT_BYTES - overhead + 1), TOO_LARGE),
    as('the body is far too long', padded(2 * LIMIT_BYTES), TOO_LARGE),
    as('the body is gzip', gzipSync(bytes), READ, { 'content-encoding': 'gzip' }),
    as('the body is too long once decompressed', gzipSync(padded(4 * LIMIT_BYTES)), TOO_LARGE, {
      'content-encoding': 'gzip',
    }),
    as('the body says gzip and is none', bytes, REFUSED, { 'content-encoding': 'gzip' }),
    as('the body is gzip that breaks off', gzipSync(bytes).subarray(0, -12), REFUSED, {
      'content-encoding': 'gzip',
    }),
    as('the body is in an unknown encoding', bytes, REFUSED, { 'content-encoding': 'compress' }),
    { rule: 'there is no content type', body: bytes, headers: {}, expected: REFUSED },
    ...[
      'text/plain',
      'application/xml',
      'application/x-www-form-urlencoded',
      'application/jsonx',
      'json',
    ].map((type) => typed(type, REFUSED)),
    typed('application/json; charset=latin1', REFUSED),
    typed('application/json; charset=utf-8', READ),
    typed('Application/JSON;charset="UTF-8"', READ),
  ];
}
