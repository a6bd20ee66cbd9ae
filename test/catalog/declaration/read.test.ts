import { describe, expect, test } from 'vitest';
import { readDeclaration } from '../../../src/catalog/declaration/read.ts';
import type { Declaration } from '../../../src/catalog/listing.ts';
import { stockDeclarations, stockEcho, type Echo } from './stockDeclarations.ts';

/** The stock seller's resource with one thing changed. */
function read(spoil: (echo: Echo) => void = () => {}, echo: Echo = stockEcho()) {
  spoil(echo);
  return readDeclaration(echo.bazaar, echo.resource);
}

describe('what stock sellers declare is read whole', () => {
  test.each<[keyof typeof stockDeclarations, Pick<Declaration, 'resource' | 'type' | 'toolName'>]>([
    ['GET with query', { resource: 'https://api.example.com/weather', type: 'http', toolName: '' }],
    ['GET without parameters', { resource: 'https://api.example.com/time', type: 'http', toolName: '' }],
    ['POST with JSON body', { resource: 'https://api.example.com/translate', type: 'http', toolName: '' }],
    ['PUT with form data', { resource: 'https://api.example.com/form', type: 'http', toolName: '' }],
    ['PATCH with text, no example', { resource: 'https://api.example.com/text', type: 'http', toolName: '' }],
    ['dynamic route', { resource: 'https://api.example.com/weather/:city', type: 'http', toolName: '' }],
    [
      'dynamic route with a wildcard',
      { resource: 'https://api.example.com/a/:var1/c', type: 'http', toolName: '' },
    ],
    ['MCP tool', { resource: 'https://api.example.com/mcp', type: 'mcp', toolName: 'convert_currency' }],
  ])('%s', (name, key) => {
    const { bazaar, resource } = stockDeclarations[name]();
    const { url: _url, ...metadata } = resource;
    expect(readDeclaration(bazaar, resource)).toEqual({ ...key, metadata, bazaar });
  });
});

describe('each rule has its code', () => {
  test.each<[string, string, (echo: Echo) => void]>([
    ['no object', 'bazaar_extension_not_object', (echo) => void (echo.bazaar = 'bazaar')],
    ['no info', 'bazaar_extension_not_object', ({ bazaar }) => void delete bazaar.info],
    ['no schema', 'bazaar_extension_not_object', ({ bazaar }) => void delete bazaar.schema],
    ['null for info', 'bazaar_spec_validation_failed', ({ bazaar }) => void (bazaar.info = null)],
    [
      'a wrong method',
      'bazaar_spec_validation_failed',
      ({ bazaar }) => void (bazaar.info.input.method = 'FOO'),
    ],
    [
      '2,001 nodes',
      'bazaar_schema_too_complex',
      ({ bazaar }) => void (bazaar.schema = { enum: Array.from({ length: 1_999 }, () => 0) }),
    ],
    ['a loop', 'bazaar_schema_too_complex', ({ bazaar }) => void (bazaar.schema = { $ref: '#' })],
    ['true for a schema', 'bazaar_schema_validation_failed', ({ bazaar }) => void (bazaar.schema = true)],
    ['null for a schema', 'bazaar_schema_validation_failed', ({ bazaar }) => void (bazaar.schema = null)],
    [
      'a parameter of the wrong type',
      'bazaar_schema_validation_failed',
      ({ bazaar }) => void (bazaar.info.input.queryParams.city = 5),
    ],
    [
      'a reference to the outside',
      'bazaar_schema_validation_failed',
      ({ bazaar }) => void (bazaar.schema.$ref = 'https://evil.example/'),
    ],
    ['no resource', 'bazaar_resource_url_invalid', (echo) => void (echo.resource = undefined)],
    ['a relative URL', 'bazaar_resource_url_invalid', ({ resource }) => void (resource.url = '/weather')],
    [
      'credentials',
      'bazaar_resource_url_invalid',
      ({ resource }) => void (resource.url = 'https://a:b@example.com/'),
    ],
  ])('%s: %s', (_what, code, spoil) => {
    expect(read(spoil)).toEqual({ code, message: expect.stringMatching(/^.{10,300}$/) });
  });

  test('and the first rule that is broken speaks', () => {
    const echo = stockEcho();
    const codes: unknown[] = [];
    const next = () => codes.push((read(() => {}, echo) as { code?: string }).code);
    echo.resource.url = 'mcp://tool/x';
    next();
    echo.bazaar.schema = { $ref: 'https://evil.example/' };
    next();
    echo.bazaar.schema.enum = Array.from({ length: 2_000 }, () => 0);
    next();
    echo.bazaar.info.input.type = 'ftp';
    next();
    delete echo.bazaar.schema;
    next();
    expect(codes).toEqual([
      'bazaar_resource_url_invalid',
      'bazaar_schema_validation_failed',
      'bazaar_schema_too_complex',
      'bazaar_spec_validation_failed',
      'bazaar_extension_not_object',
    ]);
  });
});

describe('the message', () => {
  test('names place and remedy', () => {
    expect(read(({ bazaar }) => void (bazaar.info.input.queryParams.city = 5))).toMatchObject({
      message:
        'info.input.queryParams.city does not satisfy schema (type): Instance type "number" is invalid. Expected "string".',
    });
  });

  test('shows little of what was sent, in one line', () => {
    const long = `a\n\u0000\ud800\u202e\u2028\u2029\u200b${'x'.repeat(5_000)}`;
    const spoils: ((echo: Echo) => void)[] = [
      ({ bazaar }) => void (bazaar.info.input.method = long),
      ({ bazaar }) => void (bazaar.schema.$schema = long),
      ({ bazaar }) => void (bazaar.schema.$ref = long),
      ({ bazaar }) => void (bazaar.schema.$ref = `#${long}`),
      ({ bazaar }) => void (bazaar.schema.properties[long] = { type: long }),
      ({ bazaar }) => void (bazaar.schema.required = [long]),
      ({ bazaar }) => void (bazaar.schema = { const: long }),
      ({ resource }) => void (resource.url = long),
    ];
    for (const spoil of spoils) {
      const { message } = read(spoil) as { message: string };
      expect(message).toMatch(/^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]{10,300}$/u);
      expect(message.isWellFormed()).toBe(true);
    }
  });
});

describe('field-level defects keep the listing', () => {
  test('and drop the field', () => {
    const declaration = read(({ resource }) => {
      resource.serviceName = 'x'.repeat(33);
      resource.tags = 'weather';
      resource.iconUrl = 'http://localhost/icon.png';
      resource.description = '';
    });
    expect(declaration).toMatchObject({ metadata: { mimeType: 'application/json' } });
    expect(Object.keys((declaration as Declaration).metadata)).toEqual(['mimeType']);
  });

  test.each([5, null, '', '/a/../b', '//evil.example/x', '/a%5cb', `/${'a'.repeat(2_030)}`])(
    'a route template %.30j is dropped from the stored extension as well, and the path is listed',
    (routeTemplate) => {
      const { bazaar } = stockEcho();
      expect(read((echo) => void (echo.bazaar.routeTemplate = routeTemplate))).toMatchObject({
        resource: 'https://api.example.com/weather',
        bazaar,
      });
      expect(read((echo) => void (echo.bazaar.routeTemplate = routeTemplate))).not.toHaveProperty(
        'bazaar.routeTemplate',
      );
    },
  );

  test('a tool is listed by its path, whatever its template', () => {
    const tool = stockDeclarations['MCP tool'];
    const declaration = read(({ bazaar }) => void (bazaar.routeTemplate = '/:tool'), tool());
    expect(declaration).toMatchObject({
      resource: 'https://api.example.com/mcp',
      bazaar: { routeTemplate: '/:tool' },
    });
  });
});

test('further fields of the extension are kept', () => {
  const declaration = read(({ bazaar }) => void (bazaar.version = 3));
  expect(declaration).toMatchObject({ bazaar: { version: 3 } });
});

describe('any depth', () => {
  const deep: unknown = JSON.parse(`${'['.repeat(30_000)}${']'.repeat(30_000)}`);

  test.each<[string, string | undefined, (echo: Echo) => void]>([
    ['of the extension', 'bazaar_extension_not_object', (echo) => void (echo.bazaar = deep)],
    ['of info', 'bazaar_spec_validation_failed', ({ bazaar }) => void (bazaar.info = deep)],
    ['of a method', 'bazaar_spec_validation_failed', ({ bazaar }) => void (bazaar.info.input.method = deep)],
    ['of the schema', 'bazaar_schema_too_complex', ({ bazaar }) => void (bazaar.schema = deep)],
    ['of an example', undefined, ({ bazaar }) => void (bazaar.info.output.example.deep = deep)],
    ['of the resource', 'bazaar_resource_url_invalid', (echo) => void (echo.resource = deep)],
    ['of a URL', 'bazaar_resource_url_invalid', ({ resource }) => void (resource.url = deep)],
    ['of tags', undefined, ({ resource }) => void (resource.tags = deep)],
  ])('%s has an answer', (_where, code, spoil) => {
    expect((read(spoil) as { code?: string }).code).toBe(code);
  });
});
