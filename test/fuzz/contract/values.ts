/** Values for a schema: those that satisfy it, up to its edges, and those that break one rule of it. */
import fc from 'fast-check';
import type { Schema } from './document.ts';

/** Texts that trip up programs, whatever they stand for. */
export const ODD_TEXTS = [
  '',
  ' ',
  '\0',
  '\u0085',
  '\u2028',
  '\ufeff',
  '\ud800',
  '😀',
  'e\u0301',
  'ﬀ',
  'İ',
  '\u202etxt',
  "' OR 1=1 --",
  '" OR NEAR(a b) *',
  '${7*7}',
  '../../etc/passwd',
  '%00',
  '%',
  '__proto__',
  'constructor',
  'null',
  'NaN',
  '-0',
  '9'.repeat(400),
];
const HUGE_CHARS = 100_000;
const OPEN_FIELDS = 3;

const SURROGATES = 0x800;
const FIRST_SURROGATE = 0xd800;

/** As fast-check's `binary` unit, which first lists all code points, in two seconds. */
const codePoint = fc.integer({ min: 0, max: 0x10ffff - SURROGATES }).map(
  (nth) => String.fromCodePoint(nth < FIRST_SURROGATE ? nth : nth + SURROGATES),
  (character) => {
    const code = String(character).codePointAt(0) ?? NaN;
    if (String.fromCodePoint(code) !== character) throw new Error('no single code point');
    return code < FIRST_SURROGATE ? code : code - SURROGATES;
  },
);

const text = (): fc.Arbitrary<string> =>
  fc.oneof(
    fc.string({ maxLength: 40 }),
    fc.string({ unit: codePoint, maxLength: 40 }),
    fc.constantFrom(...ODD_TEXTS),
  );

/** Names of fields that nobody documented. */
const fieldName = (): fc.Arbitrary<string> =>
  fc.oneof(
    fc.constantFrom('note', 'x-note', '', '__proto__', 'constructor', 'toString', '0'),
    fc.string({ maxLength: 12 }),
  );

/** Any JSON of a few values. */
export const anyJson = (): fc.Arbitrary<unknown> =>
  fc.oneof(fc.jsonValue({ maxDepth: 2, stringUnit: codePoint }), text());

/** A value that satisfies the schema, edges included. */
export function valueOf(schema: Schema): fc.Arbitrary<unknown> {
  const examples = (schema['examples'] ?? []) as unknown[];
  if (examples.length === 0) return anyValueOf(schema);
  // Chance finds no text of a strict pattern.
  if ('pattern' in schema) return fc.constantFrom(...examples);
  // Else nothing would ever be of a kind that is served.
  return fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...examples) },
    { weight: 1, arbitrary: anyValueOf(schema) },
  );
}

function anyValueOf(schema: Schema): fc.Arbitrary<unknown> {
  if ('const' in schema) return fc.constant(schema['const']);
  if (schema['enum']) return fc.constantFrom(...(schema['enum'] as unknown[]));
  const choices = (schema['anyOf'] ?? schema['oneOf']) as Schema[] | undefined;
  if (choices) return fc.oneof(...choices.map(valueOf));
  const types = typesOf(schema);
  return types.length === 0
    ? openValueOf(schema)
    : fc.oneof(...types.map((type) => typedValueOf(type, schema)));
}

/** Where the schema names no type, anything is valid; what it describes is the most telling. */
function openValueOf(schema: Schema): fc.Arbitrary<unknown> {
  if (!('properties' in schema)) return anyJson();
  return fc.oneof({ weight: 3, arbitrary: objectOf(schema) }, { weight: 1, arbitrary: anyJson() });
}

function typedValueOf(type: string, schema: Schema): fc.Arbitrary<unknown> {
  switch (type) {
    case 'object':
      return objectOf(schema);
    case 'array':
      return fc.array(valueOf(schema['items'] ?? {}), { maxLength: schema['maxItems'] ?? 4 });
    case 'string':
      return stringOf(schema);
    case 'integer':
      return fc.integer({ min: schema['minimum'] ?? -(2 ** 53) + 1, max: schema['maximum'] ?? 2 ** 53 - 1 });
    case 'number':
      return fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }));
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    default:
      throw new Error(`no values for the type ${type}`);
  }
}

const YEARS = { min: new Date('0001-01-01T00:00:00Z'), max: new Date('9999-12-31T23:59:59Z') };

function stringOf({ format, pattern, minLength = 0, maxLength = Infinity }: Schema): fc.Arbitrary<string> {
  if (format === 'date-time')
    return fc.date({ ...YEARS, noInvalidDate: true }).map((date) => date.toISOString());
  const expression = new RegExp(pattern ?? '', 'u');
  // Hardly any other text fits it.
  if (pattern?.startsWith('^') === true) return fc.stringMatching(expression);
  const fits = (value: string): boolean =>
    expression.test(value) && [...value].length >= minLength && [...value].length <= maxLength;
  return text().filter(fits);
}

function objectOf({
  properties = {},
  required = [],
  additionalProperties = true,
}: Schema): fc.Arbitrary<unknown> {
  const named = fc.record(
    Object.fromEntries(Object.entries(properties as Schema).map(([name, schema]) => [name, valueOf(schema)])),
    { requiredKeys: required },
  );
  if (additionalProperties === false) return named;
  const further = fc.dictionary(fieldName(), anyJson(), { maxKeys: OPEN_FIELDS, noNullPrototype: true });
  // What is documented keeps its meaning.
  return fc.tuple(named, further).map(([fields, others]) => ({ ...others, ...(fields as object) }));
}

function typesOf({ type }: Schema): string[] {
  return type === undefined ? [] : [type as string | string[]].flat();
}

/** One change of a value: what was done, and where. */
export interface Mutation {
  readonly rule: string;
  /** As `paymentPayload.x402Version`; the empty text is the body itself. */
  readonly place: string;
  apply(value: unknown): unknown;
}

/** Every change of one thing in a value of the schema, at every place that it names. */
export function mutationsOf(schema: Schema, path: readonly string[] = []): Mutation[] {
  const place = path.join('.');
  const replace = (rule: string, replacement: unknown): Mutation => ({
    rule: `${place || 'the body'} is ${rule}`,
    place,
    apply: (value) => replaced(value, path, () => replacement),
  });
  return [
    replace('null', null),
    replace('a text', 'a text'),
    replace('an empty text', ''),
    replace('a huge text', 'x'.repeat(HUGE_CHARS)),
    ...['\0', '\ud800', '😀', '__proto__', '9'.repeat(400)].map((odd) =>
      replace(`the text ${JSON.stringify(odd).slice(0, 40)}`, odd),
    ),
    ...[0, -1, 1.5, 3, 1e308].map((number) => replace(`the number ${number}`, number)),
    replace('a boolean', true),
    replace('an empty array', []),
    replace('an array', [{}, 1]),
    replace('an empty object', {}),
    replace('an object', { a: { b: [1] } }),
    ...(path.length > 0 ? [removal(place, path), lookalike(place, path)] : []),
    ...('properties' in schema ? [addition(place, path)] : []),
    ...Object.entries((schema['properties'] ?? {}) as Schema).flatMap(([name, property]) =>
      mutationsOf(property, [...path, name]),
    ),
  ];
}

const removal = (place: string, path: readonly string[]): Mutation => ({
  rule: `${place || 'the body'} is missing`,
  place,
  apply: (value) => replaced(value, path, () => undefined),
});

/** What a loose comparison takes for the same. */
const lookalike = (place: string, path: readonly string[]): Mutation => ({
  rule: `${place || 'the body'} is itself in another type`,
  place,
  apply: (value) =>
    replaced(value, path, (inner) => (typeof inner === 'string' ? [inner] : JSON.stringify(inner))),
});

const addition = (place: string, path: readonly string[]): Mutation => ({
  rule: `${place || 'the body'} has a field that nobody documented`,
  place,
  apply: (value) => replaced(value, path, (object) => ({ ...(object as object), undocumented: { a: [1] } })),
});

/** `undefined` leaves a field out. */
function replaced(value: unknown, path: readonly string[], change: (value: unknown) => unknown): unknown {
  const [name, ...rest] = path;
  if (name === undefined) return change(value);
  const object = typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  const { [name]: inner, ...others } = object;
  const changed = replaced(inner, rest, change);
  return changed === undefined ? others : { ...others, [name]: changed };
}
