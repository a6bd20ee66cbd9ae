import { describe, expect, test } from 'vitest';
import { MAX_QUERY_WORDS, MAX_WORDS_PER_LISTING } from '../../src/catalog/limits.ts';
import { settlementOf, type Draft } from './drafts.ts';
import { openCatalog } from './openCatalog.ts';
import { quickStore, stores } from './stores.ts';

/** Whether `query` finds a listing that is described by `text`. */
function finds(text: string, query: string): boolean {
  using catalog = openCatalog(quickStore);
  catalog.put({ name: 'a', description: text });
  return catalog.found(query).length > 0;
}

/** Enough other listings for words to be rare. */
const others: Draft[] = Array.from({ length: 20 }, (_, at) => ({ name: `other${at}`, description: 'other' }));

describe('a word', () => {
  test.each([
    ['in any case', 'Weather REPORT', 'wEATHER'],
    ['without its diacritics', 'Prévisions météo', 'PREVISIONS'],
    ['with diacritics that the text leaves out', 'cafe', 'café'],
    ['with composed or decomposed letters', 'Zu\u0308rich', 'zürich'],
    ['with several marks on a letter', 'phở', 'pho'],
    ['in full width', 'ｗｅａｔｈｅｒ', 'weather'],
    ['of a ligature by its letters', 'ﬁnance', 'finance'],
    ['in Greek', 'Καιρός', 'ΚΑΙΡΌΣ'],
    ['in Cyrillic', 'Погода', 'погода'],
    ['in Turkish capitals', 'İSTANBUL', 'istanbul'],
    ['in Chinese', '天气 预报', '天气'],
    ['in Japanese, in half width', 'ｶﾞｿﾘﾝ', 'ガソリン'],
    ['in Korean', '날씨 예보', '날씨'],
    ['in Hindi, with its vowel signs', 'मौसम की जानकारी', 'जानकारी'],
    ['in Arabic', 'حالة الطقس', 'الطقس'],
    ['outside the basic plane', '𠮷野家', '𠮷野家'],
    ['in mathematical letters', '𝐰𝐞𝐚𝐭𝐡𝐞𝐫', 'weather'],
    ['of digits', 'ISO 3166', '3166'],
    ['of digits in other scripts', 'year ２０２６', '2026'],
    ['of letters and digits', 'base64 codec', 'BASE64'],
    ['of one letter', 'plan b', 'b'],
    ['that fills others', 'the weather of the town', 'the'],
  ])('is found %s', (_, text, query) => {
    expect(finds(text, query)).toBe(true);
  });

  test.each([
    ['an underscore', 'get_weather_report', 'weather'],
    ['a hyphen', 'real-time', 'time'],
    ['an apostrophe', "today's", 'today'],
    ['a typographic apostrophe', 'today’s', 'today'],
    ['a slash', 'v1/weather', 'weather'],
    ['a dot', 'api.weather', 'weather'],
    ['punctuation of other scripts', '天气。预报', '预报'],
    ['an emoji', 'sun☀️rain', 'rain'],
    ['a line break', 'sun\nrain', 'rain'],
    ['a zero byte', 'sun\0rain', 'rain'],
  ])('ends at %s', (_, text, query) => {
    expect(finds(text, query)).toBe(true);
  });

  test.each([
    ['as part of a longer one', 'weatherman', 'weather'],
    ['by a longer one', 'weather', 'weatherman'],
    ['by its stem', 'forecasts', 'forecast'],
    ['by another form', 'forecast', 'forecasting'],
    ['by a synonym', 'weather', 'climate'],
    ['as part of a text without spaces', '天气预报', '天气'],
    ['in camel case', 'getWeather', 'weather'],
    ['where only a number differs', 'utf8', 'utf16'],
  ])('is not found %s', (_, text, query) => {
    expect(finds(text, query)).toBe(false);
  });

  test('counts no more for standing twice in a query', () => {
    using catalog = openCatalog(quickStore);
    catalog.put(...others, { name: 'sun', description: 'sun' }, { name: 'rain', description: 'rain rain' });
    expect(catalog.found('sun sun Sun rain')).toEqual(['rain', 'sun']);
  });
});

describe('an emoji', () => {
  test.each(['☀', '☀️', '❤️', '🌦️', '👩‍🚀', '🇵🇹', '⛈️☔️'])(
    '%s is no word, in a query and in a text',
    (emoji) => {
      expect(finds(`the ${emoji} weather`, emoji)).toBe(false);
      expect(finds(`the ${emoji} weather`, `${emoji} weather`)).toBe(true);
      expect(finds('other ❤️', emoji)).toBe(false);
    },
  );

  test('of a digit is that digit', () => {
    expect(finds('top 5️⃣ list', '5')).toBe(true);
    expect(finds('top 5 list', '5️⃣')).toBe(true);
  });
});

describe('the syntax of a full-text engine is plain text:', () => {
  test.each([
    ['"weather', true],
    ['"weather" "', true],
    ['weather*', true],
    ['weath*', false],
    ['^weather', true],
    ['weather AND nothing', true],
    ['NOT weather', true],
    ['-weather', true],
    ['nothing -weather', true],
    ['weather NOT report', true],
    ['NEAR(weather nothing, 1)', true],
    ['weather + nothing', true],
    ['service_name : weather', true],
    ['description:nothing', false],
    ['{description}: weather', true],
    ["weather' OR '1'='1", true],
    ['weather"; DROP TABLE listing; --', true],
    ['(((((((((weather', true],
    ['%weather%', true],
    ['weath_r', false],
    ['weather\0', true],
    ['\ud800weather', true],
    ['\\', false],
    ['""', false],
    ['(', false],
  ])('%j', (query, isFound) => {
    expect(finds('weather report', query)).toBe(isFound);
  });

  test('its operators are words', () => {
    expect(finds('near and far', 'NEAR')).toBe(true);
    expect(finds('near and far', 'AND')).toBe(true);
    expect(finds('weather', 'AND')).toBe(false);
  });

  test('words that mean something to JavaScript are words', () => {
    for (const word of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
      expect(finds('weather', word)).toBe(false);
      expect(finds(`the ${word} of it`, word)).toBe(true);
    }
  });
});

describe.each(stores)('a search, kept by $name,', (kind) => {
  test('answers with the page, best first, and says that there is nothing more', () => {
    using catalog = openCatalog(kind);
    catalog.put({ name: 'a', description: 'weather' }, { name: 'b', description: 'news' });
    const { items } = catalog.list();
    expect(catalog.search('weather')).toEqual({
      x402Version: 2,
      resources: [items[0]],
      partialResults: false,
      pagination: { limit: 1, cursor: null },
    });
  });

  test.each(['', ' ', '!?', '☀️', '\ufe0f', '_', '"*"'])('without words, as %j, finds nothing', (query) => {
    using catalog = openCatalog(kind);
    catalog.put({ name: 'a', description: '☀️ "*" _ \ufe0f' });
    expect(catalog.search(query)).toEqual({
      x402Version: 2,
      resources: [],
      partialResults: false,
      pagination: { limit: 0, cursor: null },
    });
  });

  test('in an empty catalog finds nothing', () => {
    using catalog = openCatalog(kind);
    expect(catalog.found('weather')).toEqual([]);
  });

  test('weighs the name 4, a tag 3, the description 2 and a parameter 1', () => {
    using catalog = openCatalog(kind);
    catalog.put(
      { name: 'parameter', serviceName: 'x', tags: ['x'], description: 'x', parameters: { sun: '' } },
      { name: 'description', serviceName: 'x', tags: ['x'], description: 'sun', parameters: { x: '' } },
      { name: 'tag', serviceName: 'x', tags: ['sun'], description: 'x', parameters: { x: '' } },
      { name: 'name', serviceName: 'sun', tags: ['x'], description: 'x', parameters: { x: '' } },
      ...others,
    );
    expect(catalog.found('sun')).toEqual(['name', 'tag', 'description', 'parameter']);
  });

  test.each<[string, Draft, Draft]>([
    [
      'two tags as a name and a description',
      { name: '', tags: ['sun', 'sun!'] },
      { name: '', serviceName: 'sun', description: 'sun' },
    ],
    [
      'two descriptions as a name',
      { name: '', description: 'sun sun' },
      { name: '', serviceName: 'sun', tags: ['y'] },
    ],
    [
      'three parameters as a tag',
      { name: '', parameters: { sun: 'sun sun' } },
      { name: '', tags: ['sun', 'x', 'y'] },
    ],
  ])('counts %s', (_, one, another) => {
    for (const [first, second] of [
      [one, another],
      [another, one],
    ] as const) {
      using catalog = openCatalog(kind);
      catalog.put({ ...first, name: 'first' }, { ...second, name: 'second' }, ...others);
      // A tie: the scores are equal.
      expect(catalog.found('sun')).toEqual(['first', 'second']);
    }
  });

  test('finds listings with any of the words, those with more of them first', () => {
    using catalog = openCatalog(kind);
    catalog.put(
      { name: 'one', description: 'sun' },
      { name: 'none', description: 'news' },
      { name: 'three', description: 'sun rain wind' },
      { name: 'two', description: 'wind sun' },
      ...others,
    );
    expect(catalog.found('sun rain wind fog')).toEqual(['three', 'two', 'one']);
  });

  test('is not vetoed by filler words, and a rare word outweighs them', () => {
    using catalog = openCatalog(kind);
    catalog.put(...others.map(({ name }) => ({ name, description: 'what is the best of all for me' })), {
      name: 'tides',
      description: 'tides',
    });
    expect(catalog.found('what is the best for tides')[0]).toBe('tides');
  });

  test('puts the shorter of two listings with the same words first', () => {
    using catalog = openCatalog(kind);
    catalog.put({ name: 'long', description: 'sun and much else' }, { name: 'short', description: 'sun' });
    expect(catalog.found('sun')).toEqual(['short', 'long']);
  });

  describe(`finds a listing by the first ${MAX_WORDS_PER_LISTING} different words of it:`, () => {
    const words = (count: number): string => Array.from({ length: count }, (_, at) => `w${at}`).join(' ');

    test('those of its name, its tags, its description and its parameters, in this order', () => {
      using catalog = openCatalog(kind);
      const full = words(MAX_WORDS_PER_LISTING);
      const found = (query: string): string[] => catalog.found(query).toSorted();
      catalog.put(
        { name: 'all', serviceName: full, tags: ['tag'], description: 'text', parameters: { town: 'where' } },
        {
          name: 'none',
          tags: [full],
          description: 'text',
          parameters: { town: 'where' },
          serviceName: 'name',
        },
        {
          name: 'some',
          serviceName: 'name',
          tags: ['tag'],
          description: full,
          parameters: { town: 'where' },
        },
        { name: 'last', description: words(MAX_WORDS_PER_LISTING - 1), parameters: { town: 'where' } },
      );
      expect(found('name')).toEqual(['none', 'some']);
      expect(found('tag')).toEqual(['some']);
      expect(found('text')).toEqual([]);
      expect(found('town')).toEqual(['last']);
      expect(found('where')).toEqual([]);
      expect(found(`w${MAX_WORDS_PER_LISTING - 3}`)).toEqual(['all', 'last', 'none', 'some']);
      expect(found(`w${MAX_WORDS_PER_LISTING - 2}`)).toEqual(['all', 'last', 'none']);
      expect(found(`w${MAX_WORDS_PER_LISTING - 1}`)).toEqual(['all']);
    });

    test('wherever they stand, also behind words that are left out', () => {
      using catalog = openCatalog(kind);
      const full = words(MAX_WORDS_PER_LISTING);
      catalog.put(
        ...others,
        { name: 'once', description: full },
        { name: 'twice', description: `${full} more w0` },
      );
      expect(catalog.found('w0')).toEqual(['twice', 'once']);
    });

    test('the others do not make it longer', () => {
      using catalog = openCatalog(kind);
      const description = words(MAX_WORDS_PER_LISTING);
      const long = {
        name: 'long',
        description: `${description} ${words(MAX_WORDS_PER_LISTING).replaceAll('w', 'x')}`,
      };
      catalog.put(...others, long, { name: 'short', description });
      // A tie: the scores are equal.
      expect(catalog.found('w0')).toEqual(['long', 'short']);
    });
  });

  test('puts the older of two listings with equal scores first, also after refreshes', () => {
    using catalog = openCatalog(kind);
    const names = ['z', 'c', 'm', 'a'];
    catalog.put(...names.map((name) => ({ name, description: 'sun' })));
    expect(catalog.found('sun')).toEqual(names);
    catalog.put({ name: 'm', description: 'moon' });
    catalog.put({ name: 'm', description: 'sun' }, { name: 'z', description: 'sun', terms: { amount: '1' } });
    expect(catalog.found('sun')).toEqual(names);
  });

  test('finds the names of parameters and what schemas say of them, never example values', () => {
    using catalog = openCatalog(kind);
    const { declaration, ...settled } = settlementOf({ name: 'a' });
    const bazaar = {
      info: {
        input: { type: 'http', method: 'GET', queryParams: { town: 'lisbon' } },
        output: { type: 'json', example: { description: 'drizzle' } },
      },
      schema: {
        description: 'meteorology',
        properties: {
          input: {
            properties: {
              queryParams: {
                properties: {
                  town: {
                    description: 'municipality',
                    default: 'porto',
                    examples: ['faro'],
                    enum: ['lisbon', 'porto', 'faro'],
                    const: { description: 'constant' },
                  },
                  where: { properties: { latitude: { description: 'degrees' } } },
                },
              },
            },
          },
        },
      },
    };
    catalog.store.put([{ ...settled, declaration: { ...declaration, bazaar } }]);
    for (const word of ['town', 'municipality', 'where', 'latitude', 'degrees', 'meteorology']) {
      expect(catalog.found(word), word).toEqual(['a']);
    }
    for (const word of ['lisbon', 'drizzle', 'porto', 'faro', 'constant', 'GET', 'queryParams', 'api']) {
      expect(catalog.found(word), word).toEqual([]);
    }
  });

  test('is filtered like the list, and ranks as without filters', () => {
    using catalog = openCatalog(kind);
    catalog.put(
      { name: 'worse', description: 'sun and more', terms: { network: 'stellar:pubnet' } },
      { name: 'best', description: 'sun sun' },
      { name: 'tool', toolName: 't', description: 'sun', terms: { network: 'stellar:pubnet' } },
      { name: 'other', description: 'news', terms: { network: 'stellar:pubnet' } },
      ...others,
    );
    const found = (filters: object) => catalog.found('sun', { filters });
    expect(found({})).toEqual(['best', 'tool', 'worse']);
    expect(found({ network: 'stellar:pubnet' })).toEqual(['tool', 'worse']);
    expect(found({ network: 'stellar:pubnet', type: 'http', extensions: 'bazaar' })).toEqual(['worse']);
    expect(found({ network: 'stellar:pubnet', scheme: 'upto' })).toEqual([]);
    expect(found({ extensions: 'other' })).toEqual([]);
  });

  test('has pages of 20 unless asked for otherwise, of 1 to 100 whatever is asked for, and tells their own size', () => {
    using catalog = openCatalog(kind);
    catalog.put(...Array.from({ length: 105 }, (_, at) => ({ name: `n${at}`, description: 'sun' })));
    for (const [asked, served] of [
      [undefined, 20],
      [0, 1],
      [1, 1],
      [100, 100],
      [101, 100],
      [Number.MAX_SAFE_INTEGER, 100],
    ] as const) {
      const page = catalog.search('sun', { limit: asked });
      expect(page?.resources).toHaveLength(served);
      expect(page?.pagination.limit).toBe(served);
    }
  });

  test(`looks for the first ${MAX_QUERY_WORDS} different words of a query`, () => {
    using catalog = openCatalog(kind);
    const words = Array.from({ length: MAX_QUERY_WORDS + 1 }, (_, at) => `w${at}`);
    catalog.put(...words.map((word) => ({ name: word, description: word })));
    const query = words.flatMap((word) => [word, word.toUpperCase()]).join(' ');
    expect(catalog.found(query, { limit: 100 })).toEqual(words.slice(0, MAX_QUERY_WORDS));
    // Its cursor holds the numbers of all of them.
    const cursor = catalog.search(query, { limit: 60 })?.pagination.cursor;
    expect(catalog.found(query, { cursor: cursor! })).toEqual(words.slice(60, MAX_QUERY_WORDS));
  });
});
