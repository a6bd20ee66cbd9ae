import { describe, expect, test } from 'vitest';
import { MAX_TERMS_PER_KIND, TERMS_LIMIT_BYTES } from '../../src/catalog/limits.ts';
import { stockDeclarations } from './declaration/stockDeclarations.ts';
import { FIRST_SETTLED_AT, TERMS, urlOf, type Draft } from './drafts.ts';
import { openCatalog, type Connection } from './openCatalog.ts';
import { localStores, stores } from './stores.ts';

const LATER = new Date('2026-11-22T08:30:00.250Z');
const OTHER_PAYEE = { payTo: 'GDAT5HWTGIU4TSSZ4752OUC4SABDLTLZFRPZUJ3D6LKBNEPA7V2CIG54' };

const weather: Draft = {
  name: 'weather',
  serviceName: 'Weather',
  tags: ['forecast', 'rain'],
  description: 'The weather of a town',
  mimeType: 'application/json',
  iconUrl: 'https://icons.example.com/w.png',
  parameters: { town: 'where' },
};

/** The only listing. */
function onlyItem({ list }: Connection) {
  const { items, pagination } = list();
  expect(pagination.total).toBe(1);
  return items[0]!;
}

const amounts = (connection: Connection): string[] =>
  onlyItem(connection).accepts.map(({ amount }) => amount);

describe.each(stores)('a settlement, kept by $name,', (kind) => {
  describe('for a resource that is not listed', () => {
    test('makes a listing with all that was declared and the terms that were paid', () => {
      using catalog = openCatalog(kind);
      expect(catalog.put(weather)).toEqual(['listed']);
      const { name, parameters, ...metadata } = weather;
      expect(onlyItem(catalog)).toEqual({
        resource: urlOf(name),
        type: 'http',
        x402Version: 2,
        accepts: [TERMS],
        lastUpdated: '2026-11-21T12:00:00.000Z',
        ...metadata,
        extensions: {
          bazaar: {
            info: { input: { type: 'http', method: 'GET' } },
            schema: {
              properties: {
                input: {
                  properties: {
                    queryParams: { properties: { town: { type: 'string', description: 'where' } } },
                  },
                },
              },
            },
          },
        },
      });
    });

    test('leaves out what was not declared', () => {
      using catalog = openCatalog(kind);
      catalog.put({ name: 'bare' });
      expect(Object.keys(onlyItem(catalog)).sort()).toEqual(
        ['accepts', 'extensions', 'lastUpdated', 'resource', 'type', 'x402Version'].sort(),
      );
    });

    test('is listed as what a stock seller declares, and found by it', () => {
      using catalog = openCatalog(kind);
      const { bazaar, resource } = stockDeclarations['GET with query']();
      const submission = {
        extensionsText: JSON.stringify({ bazaar }),
        resource,
        requirements: TERMS,
        isStellarAsset: true,
        settledAt: FIRST_SETTLED_AT,
      };
      expect(catalog.submit(submission)).toBeUndefined();
      expect(onlyItem(catalog)).toMatchObject({
        resource: 'https://api.example.com/weather',
        serviceName: 'Weather',
        extensions: { bazaar: { info: { input: { queryParams: { city: 'Lisbon' } } } } },
      });
      expect(catalog.found('town')).toEqual(['weather']);
      expect(catalog.found('lisbon')).toEqual([]);
    });
  });

  describe('is of the same listing only with the same URL, type and tool:', () => {
    test('another URL is another listing', () => {
      using catalog = openCatalog(kind);
      expect(catalog.put(weather, { ...weather, name: 'weather/' })).toEqual(['listed', 'listed']);
    });

    test('two MCP tools on one URL are two listings', () => {
      using catalog = openCatalog(kind);
      const tools: Draft[] = [
        { name: 'mcp', toolName: 'forecast' },
        { name: 'mcp', toolName: 'Forecast' },
      ];
      expect(catalog.put(...tools, ...tools)).toEqual(['listed', 'listed', 'refreshed', 'refreshed']);
      expect(catalog.list().items.map(({ extensions }) => extensions?.bazaar?.info?.input?.toolName)).toEqual(
        ['forecast', 'Forecast'],
      );
    });

    test('an HTTP resource and an MCP tool on one URL are two listings, with an owner each', () => {
      using catalog = openCatalog(kind);
      expect(
        catalog.put(
          { name: 'both' },
          { name: 'both', toolName: 'both', terms: OTHER_PAYEE },
          { name: 'both' },
          { name: 'both', toolName: 'both', terms: OTHER_PAYEE },
        ),
      ).toEqual(['listed', 'listed', 'refreshed', 'refreshed']);
      expect(catalog.list().items.map(({ type }) => type)).toEqual(['http', 'mcp']);
    });
  });

  describe('with another payTo than the first', () => {
    test('is refused, and changes neither the listing nor what finds it', () => {
      using catalog = openCatalog(kind);
      catalog.put(weather);
      const before = JSON.stringify([catalog.list(), catalog.search('weather')]);
      const intruder: Draft = {
        ...weather,
        serviceName: 'Mine',
        description: 'hijacked',
        terms: { ...OTHER_PAYEE, network: 'stellar:pubnet' },
        settledAt: LATER,
      };
      expect(catalog.put(intruder)).toEqual(['owned by another']);
      expect(JSON.stringify([catalog.list(), catalog.search('weather')])).toBe(before);
      expect(catalog.found('hijacked mine')).toEqual([]);
      expect(catalog.list({ filters: OTHER_PAYEE }).pagination.total).toBe(0);
      expect(catalog.list({ filters: { network: 'stellar:pubnet' } }).pagination.total).toBe(0);
    });

    test('does not stop the owner from refreshing it', () => {
      using catalog = openCatalog(kind);
      expect(catalog.put(weather, { ...weather, terms: OTHER_PAYEE }, weather)).toEqual([
        'listed',
        'owned by another',
        'refreshed',
      ]);
    });

    test('is told so by the code bazaar_listing_owned_by_other_payee', () => {
      using catalog = openCatalog(kind);
      const { bazaar, resource } = stockDeclarations['GET with query']();
      const extensionsText = JSON.stringify({ bazaar });
      const submission = { extensionsText, resource, settledAt: LATER, isStellarAsset: true };
      catalog.submit({ ...submission, requirements: TERMS });
      expect(catalog.submit({ ...submission, requirements: { ...TERMS, ...OTHER_PAYEE } })).toEqual({
        code: 'bazaar_listing_owned_by_other_payee',
        message: expect.stringContaining('belongs to another payTo'),
      });
    });

    test('is refused for an address that differs in case only', () => {
      using catalog = openCatalog(kind);
      const lower = { payTo: TERMS.payTo.toLowerCase() };
      expect(catalog.put(weather, { ...weather, terms: lower })).toEqual(['listed', 'owned by another']);
    });
  });

  describe('for a resource that is listed', () => {
    test('wins with everything that it declares', () => {
      using catalog = openCatalog(kind);
      const now: Draft = {
        name: 'weather',
        serviceName: 'Climate',
        tags: ['storm'],
        description: 'Storms ahead',
        mimeType: 'text/plain',
        iconUrl: 'https://icons.example.com/c.png',
        parameters: { city: 'which' },
      };
      expect(catalog.put(weather, now)).toEqual(['listed', 'refreshed']);
      using afresh = openCatalog(kind);
      afresh.put(now);
      expect(onlyItem(catalog)).toEqual(onlyItem(afresh));
      expect(catalog.found('weather forecast rain town where')).toEqual([]);
      for (const word of ['climate', 'storm', 'ahead', 'city', 'which']) {
        expect(catalog.found(word)).toEqual(['weather']);
      }
    });

    test('keeps what it does not declare, and is still found by that', () => {
      using catalog = openCatalog(kind);
      catalog.put(weather, { name: 'weather', parameters: { town: 'where' }, settledAt: LATER });
      const { name, parameters, ...metadata } = weather;
      expect(onlyItem(catalog)).toMatchObject({ ...metadata, lastUpdated: LATER.toISOString() });
      for (const word of ['weather', 'forecast', 'town', 'where']) {
        expect(catalog.found(word)).toEqual(['weather']);
      }
    });

    test('replaces the extension as a whole: parameters that are gone are no longer found', () => {
      using catalog = openCatalog(kind);
      catalog.put(weather, { ...weather, parameters: {} });
      expect(catalog.found('where')).toEqual([]);
      expect(JSON.stringify(onlyItem(catalog).extensions)).not.toContain('town');
    });

    test('moves lastUpdated to its own time', () => {
      using catalog = openCatalog(kind);
      catalog.put(weather, { ...weather, settledAt: LATER });
      expect(onlyItem(catalog).lastUpdated).toBe('2026-11-22T08:30:00.250Z');
    });

    describe('and whose ledger comes before that of the latest settlement, listed late, even within the same second:', () => {
      const earlier: Draft = {
        ...weather,
        settledAt: FIRST_SETTLED_AT,
        ledgerClose: { ledger: 200, seconds: 1_000 },
      };
      const latest: Draft = {
        name: 'weather',
        description: 'Storms ahead',
        parameters: { city: 'which' },
        terms: { amount: '7' },
        settledAt: LATER,
        ledgerClose: { ledger: 201, seconds: 1_000 },
      };

      test('the listing is the same as if it had been listed in time', () => {
        using inTime = openCatalog(kind);
        inTime.put(earlier, latest);
        using late = openCatalog(kind);
        expect(late.put(latest, earlier)).toEqual(['listed', 'refreshed']);
        expect(onlyItem(late)).toEqual(onlyItem(inTime));
        for (const word of ['storms', 'city', 'forecast', 'town', 'where']) {
          expect(late.found(word)).toEqual(inTime.found(word));
        }
      });

      test('so it is when it comes again, and what settles next wins as ever', () => {
        using catalog = openCatalog(kind);
        catalog.put(earlier, latest);
        const before = onlyItem(catalog);
        catalog.put(earlier, earlier, latest, earlier);
        expect(onlyItem(catalog)).toEqual(before);
        for (const next of [{ ...weather, ledgerClose: { ledger: 201, seconds: 1_000 } }, latest, weather]) {
          catalog.put(next);
          expect(onlyItem(catalog).description).toBe(next.description);
        }
      });

      test('unless it closed later all the same: the network has started afresh', () => {
        using catalog = openCatalog(kind);
        const afresh = { ...earlier, ledgerClose: { ledger: 3, seconds: 1_001 } };
        catalog.put(latest, afresh);
        expect(onlyItem(catalog).description).toBe(afresh.description);
      });

      test(`it makes no room among ${MAX_TERMS_PER_KIND} terms`, () => {
        using catalog = openCatalog(kind);
        const many = Array.from({ length: MAX_TERMS_PER_KIND }, (_, at) => `1${at}`);
        catalog.put(...many.map((amount) => ({ ...latest, terms: { amount } })), earlier);
        expect(amounts(catalog)).toEqual(many);
      });
    });

    test('adds its terms to accepts, in the order in which they were first paid', () => {
      using catalog = openCatalog(kind);
      for (const amount of ['5', '7', '5', '6', '7']) catalog.put({ ...weather, terms: { amount } });
      expect(amounts(catalog)).toEqual(['5', '7', '6']);
    });

    describe('in an asset that is not known to be a Stellar asset contract,', () => {
      const CLAIMED = 'CAAQEAYEAUDAOCAJBIFQYDIOB4IBCEQTCQKRMFYYDENBWHA5DYPSABOV';
      const claimed: Draft = {
        name: 'weather',
        description: 'Free money',
        tags: ['scam'],
        parameters: { secret: 'your key' },
        terms: { asset: CLAIMED },
        settledAt: LATER,
        isStellarAsset: false,
      };
      const plain: Draft = { name: 'weather', parameters: { town: 'where' } };

      test('adds its terms, marks the asset once, and changes nothing else that was paid for in a Stellar asset', () => {
        using catalog = openCatalog(kind);
        catalog.put(plain);
        const before = onlyItem(catalog);
        catalog.put(claimed, claimed);
        expect(onlyItem(catalog)).toEqual({
          ...before,
          accepts: [{ ...TERMS, asset: CLAIMED }, TERMS],
          unverifiedAssets: [CLAIMED],
        });
        expect([catalog.found('money'), catalog.found('secret')]).toEqual([[], []]);
      });

      test('displaces no terms', () => {
        using catalog = openCatalog(kind);
        catalog.put(plain);
        const many = Array.from({ length: MAX_TERMS_PER_KIND + 1 }, (_, at) => `1${at}`);
        catalog.put(...many.map((amount) => ({ ...claimed, terms: { asset: CLAIMED, amount } })));
        const { accepts } = onlyItem(catalog);
        expect(accepts).toHaveLength(MAX_TERMS_PER_KIND);
        expect(accepts.at(-1)).toEqual(TERMS);
      });

      test('makes and refreshes a listing until the first payment in a Stellar asset, which keeps its terms alone', () => {
        using catalog = openCatalog(kind);
        catalog.put({ ...claimed, tags: ['first'] }, claimed);
        expect(onlyItem(catalog)).toMatchObject({ tags: ['scam'], unverifiedAssets: [CLAIMED] });
        catalog.put(plain);
        const { accepts, unverifiedAssets, ...said } = onlyItem(catalog);
        expect(accepts.map(({ asset }) => asset)).toEqual([CLAIMED, TERMS.asset]);
        expect(unverifiedAssets).toEqual([CLAIMED]);
        expect(said).not.toHaveProperty('tags');
        expect(said).not.toHaveProperty('description');
        expect(catalog.found('money')).toEqual([]);
      });

      test('marks it until it is known to be one', () => {
        using catalog = openCatalog(kind);
        catalog.put({ ...plain, isStellarAsset: false });
        expect(onlyItem(catalog).unverifiedAssets).toEqual([TERMS.asset]);
        catalog.put(plain);
        expect(onlyItem(catalog)).not.toHaveProperty('unverifiedAssets');
      });

      test('marks it for as long as there are terms that name it', () => {
        using catalog = openCatalog(kind);
        catalog.put(claimed);
        const many = Array.from({ length: MAX_TERMS_PER_KIND }, (_, at) => `1${at}`);
        catalog.put(...many.map((amount) => ({ ...weather, terms: { amount } })));
        expect(onlyItem(catalog)).not.toHaveProperty('unverifiedAssets');
      });
    });

    test('takes terms for the same whatever the order of their keys', () => {
      using catalog = openCatalog(kind);
      const { scheme, ...rest } = TERMS;
      const extra = { areFeesSponsored: true, more: { b: [1, { d: 1, c: 2 }], a: 1 } };
      const reordered = { more: { a: 1, b: [1, { c: 2, d: 1 }] }, areFeesSponsored: true };
      catalog.put(
        { ...weather, terms: { extra } },
        { ...weather, terms: { extra: reordered, ...rest, scheme } },
      );
      expect(onlyItem(catalog).accepts).toEqual([{ ...TERMS, extra }]);
    });

    test('takes terms for different where any field differs, the order of a list included', () => {
      using catalog = openCatalog(kind);
      const terms = [
        {},
        { maxTimeoutSeconds: 61 },
        { asset: 'CCW67TSZV3SSS2HXMBQ5JFGCKJNXKZM7UQUWUZPUTHXSTZLEO7SJMI75' },
        { extra: { list: [1, 2] } },
        { extra: { list: [2, 1] } },
        { extra: null },
        { additional: 1 },
      ];
      catalog.put(...terms.map((others) => ({ ...weather, terms: others })));
      expect(onlyItem(catalog).accepts).toEqual(terms.map((others) => ({ ...TERMS, ...others })));
    });

    test(`keeps ${MAX_TERMS_PER_KIND} terms for each scheme, network and recipient, the oldest making room`, () => {
      using catalog = openCatalog(kind);
      const counted = (count: number, prefix: string) =>
        Array.from({ length: count }, (_, at) => `${prefix}${at}`);
      const many = counted(MAX_TERMS_PER_KIND + 2, '1');
      catalog.put({ ...weather, terms: { amount: 'other', network: 'stellar:pubnet' } });
      catalog.put({ ...weather, terms: { amount: 'other', scheme: 'upto' } });
      catalog.put(...many.map((amount) => ({ ...weather, terms: { amount } })));
      expect(amounts(catalog)).toEqual(['other', 'other', ...many.slice(2)]);
      // What is known already makes no room.
      catalog.put({ ...weather, terms: { amount: many[5]! } });
      expect(amounts(catalog)).toEqual(['other', 'other', ...many.slice(2)]);
    });

    test.each([
      ['an extra', { extra: { note: 'x'.repeat(TERMS_LIMIT_BYTES) } }],
      ['an extra in bytes, though not in characters', { extra: { note: '€'.repeat(TERMS_LIMIT_BYTES / 3) } }],
      ['additional fields', { note: 'x'.repeat(TERMS_LIMIT_BYTES) }],
    ])('keeps terms that are too large by %s without all that the protocol does not require', (_, large) => {
      using catalog = openCatalog(kind);
      catalog.put({ ...weather, terms: { ...large, extraField: 1 } });
      expect(onlyItem(catalog).accepts).toEqual([TERMS]);
      catalog.put({ ...weather, terms: { ...large, another: 2 } });
      expect(onlyItem(catalog).accepts).toEqual([TERMS]);
    });

    test('keeps terms with what they hold up to 1 KiB of JSON', () => {
      using catalog = openCatalog(kind);
      const empty = Buffer.byteLength(JSON.stringify({ ...TERMS, extra: { note: '' } }));
      const terms = (bytes: number) => ({ extra: { note: 'x'.repeat(bytes - empty) } });
      catalog.put({ ...weather, terms: terms(1_024) }, { ...weather, terms: terms(1_025) });
      expect(onlyItem(catalog).accepts).toEqual([{ ...TERMS, ...terms(1_024) }, TERMS]);
    });
  });
});

describe.each(localStores)('a settlement, kept by $name,', (kind) => {
  test('that fails with others in one transaction leaves nothing of any of them', () => {
    using catalog = openCatalog(kind);
    catalog.put(weather);
    const before = JSON.stringify(catalog.list());
    const broken: Draft = { name: 'broken', settledAt: new Date(NaN) };
    expect(() => catalog.put({ name: 'good', description: 'novel' }, broken)).toThrow();
    expect(JSON.stringify(catalog.list())).toBe(before);
    expect(catalog.found('novel')).toEqual([]);
    expect(catalog.put({ name: 'good', description: 'novel' })).toEqual(['listed']);
    expect(catalog.found('novel')).toEqual(['good']);
  });
});
