import { stockDeclarations, stockEcho, type Echo } from './stockDeclarations.ts';

/** Declarations that the stock validators and ours both judge. None is dear: the stock ones have no limits. */
export interface Case {
  name: string;
  echo: () => Echo;
}

const spoilt =
  (spoil: (echo: Echo) => void, stock: () => Echo = stockEcho) =>
  (): Echo => {
    const echo = stock();
    spoil(echo);
    return echo;
  };
const tool = stockDeclarations['MCP tool'];
const post = stockDeclarations['POST with JSON body'];

const named = (cases: Record<string, () => Echo>): Case[] =>
  Object.entries(cases).map(([name, echo]) => ({ name, echo }));

/** Sets a field of `info.input`, under a schema that allows everything. */
const input = (fields: object, stock?: () => Echo) =>
  spoilt(({ bazaar }) => {
    bazaar.schema = {};
    Object.assign(bazaar.info.input, fields);
  }, stock);
const info = (value: unknown) =>
  spoilt(({ bazaar }) => void Object.assign(bazaar, { info: value, schema: {} }));
const schema = (value: unknown) => spoilt(({ bazaar }) => void (bazaar.schema = value));
const city = (value: object) =>
  spoilt(
    ({ bazaar }) => void (bazaar.schema.properties.input.properties.queryParams.properties.city = value),
  );
const template = (routeTemplate: unknown) =>
  spoilt(({ bazaar }) => void (bazaar.routeTemplate = routeTemplate));
const url = (value: unknown) => spoilt(({ resource }) => void (resource.url = value));
const field = (name: string, value: unknown) => spoilt(({ resource }) => void (resource[name] = value));

const each = (what: string, values: readonly unknown[], make: (value: unknown) => () => Echo) =>
  Object.fromEntries(values.map((value) => [`${what} ${JSON.stringify(value) ?? 'undefined'}`, make(value)]));

export const cases: readonly Case[] = named({
  ...stockDeclarations,
  ...each('info', [null, 5, 'x', [], {}], info),
  ...each('input', [null, 'x', [], {}, { type: 'HTTP' }, { type: 'http' }], (value) =>
    info({ input: value }),
  ),
  ...each('method', ['get', 'FOO', 'OPTIONS', 5, null, '', ['GET']], (method) => input({ method })),
  ...each('bodyType', ['xml', 'JSON', null, '', 5], (bodyType) => input({ bodyType }, post)),
  'a bodyType with GET': input({ bodyType: 'json' }),
  'POST without body and bodyType': input({ method: 'POST' }),
  ...each('form-data', ['a=1', [], { a: 1 }], (body) => input({ bodyType: 'form-data', body }, post)),
  ...each('text', ['hello', 5, {}], (body) => input({ bodyType: 'text', body }, post)),
  ...each('JSON', ['hello', 5, [], null], (body) => input({ bodyType: 'json', body }, post)),
  ...each('queryParams', [[], 'a=1', null], (queryParams) => input({ queryParams })),
  ...each('pathParams', [[], 'a'], (pathParams) => input({ pathParams })),
  ...each('headers', [[], { a: 'b' }], (headers) => input({ headers })),
  ...each('output', [[], 'text', null, {}], (output) =>
    spoilt(({ bazaar }) => void Object.assign(bazaar, { schema: {}, info: { ...bazaar.info, output } })),
  ),
  ...each('toolName', ['', 5, null], (toolName) => input({ toolName }, tool)),
  ...each('inputSchema', [[], true, null, {}], (inputSchema) => input({ inputSchema }, tool)),
  ...each('transport', ['stdio', '', null, 'streamable-http'], (transport) => input({ transport }, tool)),
  'a header that the stock schema does not list': spoilt(
    ({ bazaar }) => void (bazaar.info.input.headers = { a: 'b' }),
  ),
  'an array for an output that the stock schema calls an object': spoilt(
    ({ bazaar }) => void (bazaar.info.output.example = []),
  ),

  ...each(
    'schema',
    [
      {},
      true,
      false,
      null,
      5,
      'x',
      [],
      { type: 5 },
      { properties: [] },
      { allOf: [] },
      { required: 'input' },
    ],
    schema,
  ),
  ...each(
    '$schema',
    ['http://json-schema.org/draft-07/schema#', 'https://json-schema.org/draft/2020-12/schema#', '', null, 5],
    ($schema) => schema({ $schema }),
  ),
  ...each('$id', ['#', '#a', 'https://example.com/', 'a', 5], ($id) => schema({ $id })),
  ...each('id', ['#a', 'https://example.com/'], (id) => schema({ id })),
  ...each('$ref', ['#/$defs/a', '#/nowhere', 'https://example.com/', '', '#/enum/0'], ($ref) =>
    schema({ $ref, $defs: { a: {} }, enum: [stockEcho().bazaar.info, {}] }),
  ),
  'a reference to itself': schema({ $ref: '#' }),
  'a dangling reference that is not reached': schema({ properties: { absent: { $ref: '#/nowhere' } } }),
  'an anchor': schema({ $ref: '#a', $defs: { a: { $anchor: 'a' } } }),
  'an anchor twice': schema({ $defs: { a: { $anchor: 'a' }, b: { $anchor: 'a' } } }),
  'a dynamic reference': schema({
    properties: { input: { $dynamicRef: '#a' } },
    $defs: { a: { $dynamicAnchor: 'a', type: 'object' } },
  }),
  'a reference into an unknown keyword': schema({ $ref: '#/x', x: { type: 'object' } }),
  'an external reference as an example': schema({ examples: [{ $ref: 'https://example.com/' }] }),
  'a parameter named $ref': city({ properties: { $ref: { type: 'string' } } }),
  'a type that is not met': city({ type: 'number' }),
  'a pattern that is met': city({ type: 'string', pattern: '^L' }),
  'a pattern that is not met': city({ type: 'string', pattern: '^P' }),
  'a pattern that is none': city({ type: 'string', pattern: '(' }),
  'a pattern of the wrong type': city({ pattern: 5 }),
  'a pattern under not': city({ not: { pattern: '^P' } }),
  'one of two patterns': city({ oneOf: [{ pattern: '^L' }, { pattern: '^P' }] }),
  'a format that is not met': city({ type: 'string', format: 'uri' }),
  'patterns for properties': spoilt(({ bazaar }) => {
    bazaar.schema.properties.input.properties.queryParams = {
      patternProperties: { '^ci': {} },
      additionalProperties: false,
    };
  }),
  nullable: city({ type: 'string', nullable: true }),
  'nullable without a type': city({ nullable: true }),
  'named examples': city({ examples: { a: 'Lisbon' } }),
  'an empty enumeration that is not reached': city({ anyOf: [{}, { enum: [] }] }),
  'old dependencies': city({ dependencies: { a: ['b'] } }),
  'names of object members': schema(
    JSON.parse('{"properties":{"__proto__":{},"constructor":false,"toString":false}}'),
  ),
  '2,001 nodes': schema({ examples: Array.from({ length: 1_999 }, () => 0) }),

  ...each(
    'routeTemplate',
    [
      ...[
        '/weather/:city',
        '/',
        '',
        'weather',
        '/a/../b',
        '/a/%2e%2e/b',
        '/a%3a%2f%2fb',
        '/a b',
        '/a%zz',
        '/[a]',
        '/./a',
      ],
      ...['//evil.example/x', '/%2f%2fevil', '/a%00b', '/a%5cb', '/a%25252541', '/a%2525252541', 5],
    ],
    template,
  ),
  'a template that is too long': template(`/${'a'.repeat(2_048)}`),
  'a template of a tool': spoilt(({ bazaar }) => void (bazaar.routeTemplate = '/:a'), tool),

  ...each(
    'url',
    [
      ...[
        'https://a.example/b?c#d',
        'HTTP://A.Example:80/b',
        'http://localhost:4021/x',
        'http://127.1/',
        'https://a.example',
      ],
      ...[
        '',
        'weather',
        '/weather',
        'mcp://tool/x',
        'ftp://a.example/x',
        'https:a.example/x',
        'https:\\\\a.example\\x',
      ],
      ...[
        'https://user:pw@a.example/',
        'https://@a.example/',
        ' https://a.example/',
        'https://a.example/\n',
        null,
      ],
    ],
    url,
  ),

  'a URL that is too long': url(`https://a.example/${'a'.repeat(2_048)}`),

  ...each('serviceName', ['Weather', ' ', '', 'a'.repeat(33), 'é', 5, 'a\n'], (value) =>
    field('serviceName', value),
  ),
  ...each(
    'tags',
    [['a', 'A', 'b'], ['', 'é', 5, 'a'], ['a', 'b', 'c', 'd', 'e', 'f'], [], ['x'.repeat(33)], 'a', null],
    (value) => field('tags', value),
  ),
  ...each(
    'iconUrl',
    [
      ...[
        'https://example.com/i.png',
        'http://example.com./',
        'https://münchen.de/',
        'http://8.8.8.8/',
        'http://[::1]/',
      ],
      ...[
        'http://127.1/',
        'http://0x7f.1/',
        'http://localhost/',
        'http://%6cocalhost/',
        'http://①②⑦.0.0.1/',
        '/i.png',
      ],
      ...[
        'data:image/png,x',
        'https://user@example.com/',
        'http://LOCALHOST./',
        'http://foo.localhost/',
        'http://internal/',
      ],
      ...[
        'http://metadata.google.internal/',
        'https:example.com/x',
        'https:\\\\example.com\\x',
        ' https://example.com/',
      ],
      ...[
        'https://@example.com/',
        'http://printer.local/',
        'http://foo..com/',
        'https:///example.com/',
        'http://127.0.0.1./',
      ],
      ...['https://example.com/\u0085', '', 5],
    ],
    (value) => field('iconUrl', value),
  ),
});
