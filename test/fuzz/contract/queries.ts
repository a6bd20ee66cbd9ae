/** Query strings: as the contract has them, and each broken in one way. */
import fc from 'fast-check';
import type { Operation, Parameter } from './document.ts';
import type { Expectation } from './judge.ts';
import { ODD_TEXTS, valueOf } from './values.ts';

/** Names and values in order, as they are meant; encoded when they are sent. */
export type Query = readonly (readonly [name: string, value: string])[];

/** Digits of other scripts, signs, points, exponents: what `Number` would read, and the contract does not. */
const NO_INTEGERS = [
  '',
  ' ',
  ' 1',
  '1 ',
  '-1',
  '+1',
  '-0',
  '1.0',
  '5.5',
  '1e3',
  '0x10',
  '٣',
  '１',
  '1,000',
  'ten',
  'null',
  'NaN',
  'Infinity',
  'true',
  '1\0',
  '%31',
];
const BOOLEANS = ['true', 'false'];
const NO_BOOLEANS = ['', '0', '1', 'True', 'FALSE', ' true', 'true ', 'yes', 'null'];
const INTEGERS = [
  '0',
  '1',
  '2',
  '19',
  '20',
  '99',
  '100',
  '101',
  '007',
  '4294967296',
  '9'.repeat(30),
  '9'.repeat(400),
];
/** Near what a request line may hold. */
const LONG_TEXTS = ['x'.repeat(8_000), 'one two '.repeat(1_000)];

/** Lets the caller put values of its own knowledge in: that filters match something, and a query finds something. */
export type KnownValues = Readonly<Record<string, readonly string[]>>;

/** A query that is valid by the contract; `names` says which parameters may be there. */
export function validQuery(
  { parameters }: Operation,
  known: KnownValues,
  names?: readonly string[],
): fc.Arbitrary<Query> {
  const used = parameters.filter(({ name, required }) => required || !names || names.includes(name));
  const values = Object.fromEntries(used.map((parameter) => [parameter.name, validText(parameter, known)]));
  return fc
    .record<Record<string, string>>(values, {
      requiredKeys: used.filter(({ required }) => required).map(({ name }) => name),
    })
    .map((query) => Object.entries(withoutOffset(withAsset(query))));
}

/** Leaves out `maxAmount` if there is no `asset`. */
export const withAsset = ({ maxAmount, ...query }: Record<string, string>): Record<string, string> =>
  maxAmount === undefined || query['asset'] === undefined ? query : { ...query, maxAmount };

/** Leaves out `offset` if there is a `sort`. */
const withoutOffset = ({ offset, ...query }: Record<string, string>): Record<string, string> =>
  offset === undefined || query['sort'] !== undefined ? query : { ...query, offset };

function validText({ name, schema, example }: Parameter, known: KnownValues): fc.Arbitrary<string> {
  if (schema['type'] === 'integer') {
    return fc.oneof(fc.constantFrom(...INTEGERS), fc.nat({ max: 200 }).map(String));
  }
  if (schema['type'] === 'boolean') return fc.constantFrom(...BOOLEANS);
  const matching = [...(known[name] ?? []), ...(example === undefined ? [] : [String(example)])];
  const any = valueOf(schema) as fc.Arbitrary<string>;
  return matching.length === 0
    ? any
    : fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...matching) }, { weight: 1, arbitrary: any });
}

/** The smallest valid query. */
export function requiredQuery({ parameters }: Operation): Query {
  return parameters
    .filter(({ required }) => required)
    .map(({ name, example }) => [name, String(example)] as const);
}

export interface QueryMutation {
  readonly rule: string;
  /** The parameter that is changed. */
  readonly name: string;
  apply(query: Query): Query;
  readonly expected: Expectation;
  /** Whether the query is looked at first. */
  readonly isLate?: boolean;
}

const OK: Expectation = { statuses: [200] };
const refusedWith = (code: string): Expectation => ({ statuses: [400], codes: [code] });

/** Each with what it deserves on a query that was valid before. */
export function queryMutations({ parameters }: Operation): QueryMutation[] {
  const isSorted = parameters.some(({ name }) => name === 'sort');
  return [...parameters.flatMap((parameter) => mutationsOfParameter(parameter, isSorted)), ...UNDOCUMENTED];
}

function mutationsOfParameter({ name, required, schema }: Parameter, isSorted: boolean): QueryMutation[] {
  // Each of them alone: an offset does not go with an order, and a list without one ignores cursors.
  const ofOrder = isSorted ? ['sort', 'offset', 'cursor'] : [];
  const set = (value: string) => (query: Query) =>
    [
      ...(ofOrder.includes(name) ? ofOrder : [name]).reduce(without, query),
      [name, value],
      // It says nothing without one.
      ...(name === 'maxAmount' && !query.some(([given]) => given === 'asset') ? [['asset', 'any']] : []),
    ] as Query;
  const isInteger = schema['type'] === 'integer';
  const isBoolean = schema['type'] === 'boolean';
  const fits = new RegExp(schema['pattern'] ?? '', 'u');
  function expectedOf(value: string): Expectation {
    // A cursor is never just a text: it was issued, or it is refused.
    if (schema['enum'] !== undefined)
      return (schema['enum'] as string[]).includes(value) ? OK : refusedWith('svc_invalid_query_parameter');
    if (name === 'cursor' && isSorted) return OK;
    if (name === 'cursor') return refusedWith('svc_invalid_search_cursor');
    if (isInteger) return /^[0-9]+$/.test(value) ? OK : refusedWith('svc_invalid_query_parameter');
    if (isBoolean) return BOOLEANS.includes(value) ? OK : refusedWith('svc_invalid_query_parameter');
    const isText = fits.test(value) && value.length >= (schema['minLength'] ?? 0);
    if (isText) return OK;
    return refusedWith(name === 'query' ? 'svc_missing_search_query' : 'svc_invalid_query_parameter');
  }
  const texts = isBoolean ? [...NO_BOOLEANS, ...BOOLEANS] : [...ODD_TEXTS, ...LONG_TEXTS];
  const values = isInteger ? [...NO_INTEGERS, ...INTEGERS] : texts;
  return [
    {
      rule: `${name} is missing`,
      name,
      // An amount says nothing without an asset.
      apply: (query) => without(name === 'asset' ? without(query, 'maxAmount') : query, name),
      expected: required ? refusedWith('svc_missing_search_query') : OK,
    },
    ...['1', 'another'].map((second) => ({
      rule: `${name} is repeated`,
      name,
      apply: (query: Query) => [...without(query, name), [name, '1'], [name, second]] as Query,
      expected: refusedWith('svc_invalid_query_parameter'),
    })),
    ...values.map((value) => ({
      rule: `${name} is ${JSON.stringify(value).slice(0, 40)}`,
      name,
      apply: set(value),
      expected: expectedOf(value),
      isLate: name !== 'query' && (schema['pattern'] ?? schema['enum']) !== undefined,
    })),
  ];
}

/** What nobody documented is ignored, once and twice. */
const UNDOCUMENTED: QueryMutation[] = [
  'page',
  'q',
  'limit[]',
  'LIMIT',
  'constructor',
  '',
  '__proto__',
].flatMap((name) => [
  { rule: `${JSON.stringify(name)} is added`, name, apply: (query) => [...query, [name, '1']], expected: OK },
  {
    rule: `${JSON.stringify(name)} is added twice`,
    name,
    apply: (query) => [...query, [name, '1'], [name, '2']],
    expected: OK,
  },
]);

const without = (query: Query, name: string): Query => query.filter(([found]) => found !== name);
