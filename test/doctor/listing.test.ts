import { describe, expect, test } from 'vitest';
import { doctorWorld, type Content } from './world.ts';

const world = doctorWorld();
const { examine, sellerOf, defectOf } = world;

describe('what keeps a seller from being listed is found, by the code of the catalog:', () => {
  const bazaar = (info: unknown, schema: unknown = {}) => ({ extensions: { bazaar: { info, schema } } });
  const good = { input: { type: 'http', method: 'GET' } };
  const nodes = Object.fromEntries(Array.from({ length: 2_001 }, (_, nth) => [`p${nth}`, true]));
  const cases: [string, Content, string, string | undefined][] = [
    ['no declaration', { extensions: undefined }, 'extensions.bazaar', undefined],
    [
      'no info',
      { extensions: { bazaar: { schema: {} } } },
      'extensions.bazaar',
      'bazaar_extension_not_object',
    ],
    [
      'a rule of info',
      bazaar({ input: { type: 'ftp' } }),
      'extensions.bazaar.info',
      'bazaar_spec_validation_failed',
    ],
    [
      'info against schema',
      bazaar(good, { required: ['output'] }),
      'extensions.bazaar.schema',
      'bazaar_schema_validation_failed',
    ],
    [
      'a large schema',
      bazaar(good, { properties: nodes }),
      'extensions.bazaar.schema',
      'bazaar_schema_too_complex',
    ],
    ['no URL', { resource: { url: 'weather' } }, 'resource.url', 'bazaar_resource_url_invalid'],
  ];
  test.each(cases)('%s', async (_what, changes, check, code) => {
    const { verdict, wrong } = await examine(await sellerOf(changes));
    expect(verdict).toBe('unlisted');
    const unlisted = wrong.filter(({ status }) => status === 'unlisted');
    expect(unlisted).toMatchObject([{ check, mend: expect.any(String) }]);
    expect(unlisted[0]!.code).toBe(code);
  });

  test('extensions that are too large, in a header that few buyers can read', async () => {
    const { verdict, wrong } = await examine(await sellerOf(bazaar({ ...good, output: 'x'.repeat(65_536) })));
    expect(verdict).toBe('unlisted');
    expect(wrong.map(({ check, code }) => [check, code])).toEqual([
      ['PAYMENT-REQUIRED', undefined],
      ['extensions', 'bazaar_extensions_too_large'],
    ]);
  });

  test('every rule that is broken, not the first alone', async () => {
    const { wrong } = await examine(
      await sellerOf({ ...bazaar({ input: {} }, true), resource: { url: 'ftp://x' } }),
    );
    expect(wrong.map(({ code }) => code)).toEqual([
      'bazaar_spec_validation_failed',
      'bazaar_schema_validation_failed',
      'bazaar_resource_url_invalid',
    ]);
  });
});

describe('what searches would not see is a warning:', () => {
  test.each([
    [
      'a name that is too long',
      { serviceName: 'x'.repeat(33) },
      ['resource.serviceName', 'resource.serviceName'],
    ],
    ['a description that is cut', { description: 'x'.repeat(5_000) }, ['resource.description']],
    ['one tag too many', { tags: ['a', 'b', 'c', 'd', 'e', 'f'] }, ['resource.tags']],
    ['an icon at an address', { iconUrl: 'https://127.0.0.1/i.png' }, ['resource.iconUrl']],
    ['no description', { description: '' }, ['resource.description']],
    ['another address', { url: 'https://sunny.example.com/weather' }, ['resource.url']],
  ])('%s', async (_what, resource, checks) => {
    const { verdict, wrong } = await examine(await sellerOf({ resource }));
    expect(verdict).toBe('fine');
    expect(wrong.map(({ check }) => check)).toEqual(checks);
  });

  test('a template that is none', async () => {
    const info = { input: { type: 'http', method: 'GET' } };
    const extensions = { bazaar: { info, schema: {}, routeTemplate: '/../x' } };
    expect(await defectOf({ extensions })).toMatchObject({ check: 'extensions.bazaar.routeTemplate' });
  });
});
