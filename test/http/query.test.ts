import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { UNKNOWN_CURSOR } from '../../src/catalog/pages.ts';
import { encoded, nothingFound } from '../support/catalogDouble.ts';
import { expectAnswersTo, openTestService, raw, startService, type TestService } from './support.ts';

const LIST = '/discovery/resources';
const SEARCH = '/discovery/search';
const FILTERS = [
  ...['type', 'payTo', 'scheme', 'network', 'extensions', 'resource', 'asset', 'maxAmount', 'updatedSince'],
  'verified',
];

const refused = (code: string, reason: string | RegExp) => ({
  status: 400,
  body: {
    error: { code, reason: typeof reason === 'string' ? reason : expect.stringMatching(reason) },
  },
});
const repeated = (name: string) => refused('svc_invalid_query_parameter', `${name} is given more than once.`);
const notDecimal = (name: string) =>
  refused('svc_invalid_query_parameter', `${name} must be a non-negative integer in decimal digits.`);
const missing = refused('svc_missing_search_query', /^query is missing or blank/);

let service: TestService;
beforeAll(async () => {
  service = await openTestService();
});
afterAll(() => service.close());

/** The answer to a GET, and what the catalog was asked for it. */
async function answerTo(target: string) {
  const { port, catalog } = service;
  const [lists, searches] = [catalog.listed.length, catalog.searched.length];
  // Raw, since fetch would tidy the query up.
  const answers = await raw(port, `GET ${target} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);
  expectAnswersTo([`GET ${target.replace(/^http:\/\/[^/]+/, '')}`], answers);
  return {
    answer: answers[0],
    listed: catalog.listed.slice(lists),
    searched: catalog.searched.slice(searches),
  };
}

describe('a list is asked of the catalog as the query has it', () => {
  const lists: [query: string, request: object][] = [
    ['', { filters: {} }],
    [
      '?type=mcp&payTo=GABC&scheme=exact&network=stellar%3Atestnet&extensions=bazaar&limit=7&offset=9',
      {
        filters: {
          type: 'mcp',
          payTo: 'GABC',
          scheme: 'exact',
          network: 'stellar:testnet',
          extensions: 'bazaar',
        },
        limit: 7,
        offset: 9,
      },
    ],
    [
      '?resource=https%3A%2F%2Fa.example%2Fb&asset=C&maxAmount=007&updatedSince=2026-01-01T00:00:00.5%2B02:00',
      {
        filters: {
          resource: 'https://a.example/b',
          asset: 'C',
          maxAmount: '007',
          updatedSince: '2026-01-01T00:00:00.5+02:00',
        },
      },
    ],
    ['?verified=true', { filters: { verified: true } }],
    ['?sort=resource&cursor=c', { filters: {}, sort: 'resource', cursor: 'c' }],
    ['?sort=lastUpdated&offset=0', { filters: {}, sort: 'lastUpdated', offset: 0 }],
    ['?verified=false', { filters: { verified: false } }],
    ['?type=', { filters: { type: '' } }],
    ['?type', { filters: { type: '' } }],
    ['?network=!!!&type=a+b%20c', { filters: { network: '!!!', type: 'a b c' } }],
    ['?limit=0', { filters: {}, limit: 0 }],
    ['?limit=1000', { filters: {}, limit: 1000 }],
    [`?limit=${'9'.repeat(400)}`, { filters: {}, limit: Number.MAX_SAFE_INTEGER }],
    ['?limit=007', { filters: {}, limit: 7 }],
    ['?offset=007', { filters: {}, offset: 7 }],
    ['?offset=9007199254740991', { filters: {}, offset: Number.MAX_SAFE_INTEGER }],
    [`?offset=${'9'.repeat(400)}`, { filters: {}, offset: Number.MAX_SAFE_INTEGER }],
    ['?lim%69t=5', { filters: {}, limit: 5 }],
    ['?type=%zz%', { filters: { type: '%zz%' } }],
    ['?type=%ff', { filters: { type: '\ufffd' } }],
    ['?type=http#?type=mcp', { filters: { type: 'http' } }],
    ['?type=a?b', { filters: { type: 'a?b' } }],
  ];
  test.each(lists)('%s', async (query, request) => {
    const { answer, listed } = await answerTo(LIST + query);
    expect(answer).toMatchObject({ status: 200 });
    expect(listed).toEqual([request]);
  });

  test('also where the target is an absolute URL', async () => {
    const { answer, listed } = await answerTo(`http://proxied.example${LIST}?type=mcp`);
    expect(answer).toMatchObject({ status: 200 });
    expect(listed).toEqual([{ filters: { type: 'mcp' } }]);
  });
});

describe('a search is asked of the catalog as the query has it', () => {
  const searches: [query: string, request: object][] = [
    ['?query=weather', { query: 'weather', filters: {} }],
    ['?query=weather+in%20Z%C3%BCrich', { query: 'weather in Zürich', filters: {} }],
    ['?query=%20x%20', { query: ' x ', filters: {} }],
    ['?query=!', { query: '!', filters: {} }],
    ['?query=%00', { query: '\0', filters: {} }],
    [
      '?type=http&query=x&payTo=G&scheme=s&network=n&extensions=e&limit=1000&cursor=abc',
      {
        query: 'x',
        filters: { type: 'http', payTo: 'G', scheme: 's', network: 'n', extensions: 'e' },
        limit: 1000,
        cursor: 'abc',
      },
    ],
    ['?query=x&verified=true', { query: 'x', filters: { verified: true } }],
    ['?query=x&cursor=', { query: 'x', filters: {}, cursor: '' }],
    ['?query=x&offset=-1&offset=5', { query: 'x', filters: {} }],
  ];
  test.each(searches)('%s', async (query, request) => {
    const { answer, searched } = await answerTo(SEARCH + query);
    expect(answer).toMatchObject({ status: 200 });
    expect(searched).toEqual([request]);
  });
});

describe('parameters that no operation documents are ignored, also when repeated', () => {
  test.each([
    '__proto__=1',
    '__proto__[limit]=x',
    'constructor=1&constructor=2',
    'toString=x&hasOwnProperty=',
    'q=1&q=2',
    'limit[]=x&Limit=x&limit%20=x',
    'page=1&page=2',
    '&&&=&=x&%zz=1',
  ])('%s', async (query) => {
    const { answer, listed } = await answerTo(`${LIST}?${query}`);
    expect(answer).toMatchObject({ status: 200 });
    expect(listed).toEqual([{ filters: {} }]);
  });

  test.each(['/supported', '/health'])('and so are all of %s', async (path) => {
    expect((await answerTo(`${path}?limit=x&limit=y&query=`)).answer).toMatchObject({ status: 200 });
  });
});

describe('a documented parameter given twice is refused by its name', () => {
  test.each([...FILTERS, 'limit', 'offset', 'sort', 'cursor'])('of a list: %s', async (name) => {
    for (const query of [
      `${name}=1&${name}=1`,
      `${name}&x=1&${name}=2&${name}=3`,
      `${name}=1&%${hex(name)}=1`,
    ]) {
      const { answer, listed } = await answerTo(`${LIST}?${query}`);
      expect(answer).toMatchObject(repeated(name));
      expect(listed).toEqual([]);
    }
  });

  test.each([...FILTERS, 'query', 'limit', 'cursor'])('of a search: %s', async (name) => {
    const { answer, searched } = await answerTo(`${SEARCH}?${name}=1&${name}=1&query=x`);
    expect(answer).toMatchObject(repeated(name));
    expect(searched).toEqual([]);
  });

  /** The name with its first letter escaped, after the percent sign. */
  function hex(name: string): string {
    return Buffer.from(name.slice(0, 1)).toString('hex') + name.slice(1);
  }
});

describe('a filter that says nothing is refused by its name', () => {
  test.each([
    ['maxAmount', '&asset=C', ['', '-1', '1.5', '1e3', '%2B1', '٣', '0x1', '9'.repeat(40)]],
    [
      'updatedSince',
      '',
      [
        ...['', 'yesterday', '2026-01-01', '1767225600', '2026-01-01T00:00:00', '2026-01-01T00:00:00+02:00'],
        ...['2026-02-30T00:00:00Z', '2026-01-01T24:00:00Z', '2026-01-01T23:59:60Z', '2026-01-01 00:00:00Z'],
      ],
    ],
    ['verified', '', ['', '1', 'True', 'yes', 'true,', 'null']],
  ])('%s', async (name, others, values) => {
    for (const value of values) {
      for (const target of [LIST, SEARCH]) {
        const query = `query=x${others}&${name}=${value}`;
        const { answer, listed, searched } = await answerTo(
          `${target}?${encodeURI(query).replaceAll('%25', '%')}`,
        );
        expect(answer, value).toMatchObject(refused('svc_invalid_query_parameter', new RegExp(`^${name} `)));
        expect([...listed, ...searched]).toEqual([]);
      }
    }
  });

  test('maxAmount without an asset', async () => {
    for (const target of [`${LIST}?maxAmount=1`, `${SEARCH}?query=x&maxAmount=1&cursor=abc`]) {
      const { answer, listed, searched } = await answerTo(target);
      expect(answer).toMatchObject(refused('svc_invalid_query_parameter', /^maxAmount needs asset/));
      expect([...listed, ...searched]).toEqual([]);
    }
    expect((await answerTo(`${SEARCH}?maxAmount=1`)).answer).toMatchObject(missing);
  });
});

test('a sort that there is not, and an offset with one, are refused', async () => {
  for (const [query, reason] of [
    ['sort=name', /^sort /],
    ['sort=', /^sort /],
    ['sort=resource&offset=1', /^offset does not go with sort/],
  ] as const) {
    const { answer, listed } = await answerTo(`${LIST}?${query}`);
    expect(answer).toMatchObject(refused('svc_invalid_query_parameter', reason));
    expect(listed).toEqual([]);
  }
});

describe('what is no non-negative integer in decimal digits is refused', () => {
  const notIntegers = [
    '-5',
    '%2B5',
    '+5',
    '5+',
    '5%0A',
    '1e3',
    '5.5',
    '5.0',
    '0x10',
    '5n',
    '1_000',
    '1,000',
    '',
    '%20',
    'ten',
    'NaN',
    'Infinity',
    'null',
    '%EF%BC%95',
    '%D9%A5',
    '5%00',
  ];
  test.each(notIntegers)('%j', async (text) => {
    for (const [target, name] of [
      [`${LIST}?limit=${text}`, 'limit'],
      [`${LIST}?offset=${text}`, 'offset'],
      [`${SEARCH}?query=x&limit=${text}`, 'limit'],
    ] as const) {
      const { answer, listed, searched } = await answerTo(target);
      expect(answer).toMatchObject(notDecimal(name));
      expect([...listed, ...searched]).toEqual([]);
    }
  });
});

describe('a search without anything to look for is refused', () => {
  test.each([
    '',
    '?query',
    '?query=',
    '?query=%20',
    '?query=+%09%0A%0B%0C%0D',
    '?query=%C2%85',
    '?query=%C2%A0%E1%9A%80%E2%80%80%E2%80%8A%E2%80%A8%E2%80%A9%E2%80%AF%E2%81%9F%E3%80%80',
    '?q=weather',
    '?Query=weather',
    '?query=&cursor=forged',
  ])('%s', async (query) => {
    const { answer, searched } = await answerTo(SEARCH + query);
    expect(answer).toMatchObject(missing);
    expect(searched).toEqual([]);
  });

  test('but a parameter that cannot be read is told first', async () => {
    expect((await answerTo(`${SEARCH}?query=&limit=x`)).answer).toMatchObject(notDecimal('limit'));
    expect((await answerTo(`${SEARCH}?type=a&type=b`)).answer).toMatchObject(repeated('type'));
    expect((await answerTo(`${SEARCH}?query=&query=`)).answer).toMatchObject(repeated('query'));
  });
});

test('whatever the query, discovery answers 200 or 400 as documented', async () => {
  const seed = 20261122;
  console.info(`seed ${seed}`);
  const { port, log } = await startService(
    {},
    // A cursor that starts with 'f' counts as forged.
    { search: async ({ cursor }) => (cursor?.startsWith('f') ? UNKNOWN_CURSOR : encoded(nothingFound)) },
  );
  const names = fc.constantFrom(
    ...FILTERS,
    'query',
    'limit',
    'offset',
    'cursor',
    '__proto__',
    'x',
    '%6Cimit',
  );
  const ascii = fc.string({ unit: fc.integer({ min: 0x21, max: 0x7e }).map((c) => String.fromCharCode(c)) });
  const escaped = fc.string({ unit: 'binary' }).map((text) => encodeURIComponent(text.toWellFormed()));
  const values = fc.oneof(
    ascii,
    escaped,
    fc.nat().map(String),
    fc.constantFrom('%', '%zz', '%ff', 'f', '+', ''),
  );
  const pairs = fc
    .array(fc.oneof({ weight: 4, arbitrary: fc.tuple(names, values).map((pair) => pair.join('=')) }, ascii))
    .map((all) => all.join('&'));
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(LIST, SEARCH), pairs, async (path, query) => {
      const target = `${path}?${query}`;
      const answers = await raw(port, `GET ${target} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);
      expectAnswersTo([`GET ${target}`], answers);
      expect([200, 400]).toContain(answers[0]?.status);
    }),
    { seed, numRuns: 300 },
  );
  expect(log.filter(({ msg }) => msg !== 'request' && msg !== 'listening')).toEqual([]);
});
