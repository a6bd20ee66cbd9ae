import { describe, expect, test } from 'vitest';
import {
  readDescription,
  readMetadata,
  readMimeType,
  readServiceName,
  readTags,
} from '../../../src/catalog/declaration/metadata.ts';

const notStrings = [undefined, null, 5, true, {}, ['x']];

describe('a service name', () => {
  test.each(['Weather', ' ', '~', 'a'.repeat(32), '<b>"\\'])('%s is taken', (name) => {
    expect(readServiceName(name)).toBe(name);
  });

  test.each([
    ...notStrings,
    '',
    'a'.repeat(33),
    'Wetter für alle',
    'a\tb',
    'a\n',
    'a\u007f',
    '天気',
    'a\ud800',
  ])('%j is dropped', (name) => {
    expect(readServiceName(name)).toBeUndefined();
  });
});

describe('tags', () => {
  test.each<[string, unknown, readonly string[]]>([
    ['stay in their order', ['b', 'a'], ['b', 'a']],
    ['lose bad ones', [5, null, '', 'a', 'é', 'x'.repeat(33), ['b'], 'c\n', 'd'], ['a', 'd']],
    ['lose bad ones before they are counted', ['', '', '', '', '', 'a'], ['a']],
    ['are at most five', ['a', 'b', 'c', 'd', 'e', 'f'], ['a', 'b', 'c', 'd', 'e']],
    ['are different without case, the first wins', ['Map', 'map', 'MAP', 'x'], ['Map', 'x']],
    [
      'lose duplicates before they are counted',
      ['a', 'A', 'a', 'A', 'b', 'c', 'd', 'e'],
      ['a', 'b', 'c', 'd', 'e'],
    ],
    ['may look like members of objects', ['__proto__', 'constructor'], ['__proto__', 'constructor']],
    ['have at most 32 characters', ['x'.repeat(32)], ['x'.repeat(32)]],
  ])('%s', (_rule, tags, read) => {
    expect(readTags(tags)).toEqual(read);
  });

  test.each([
    ...notStrings.filter((value) => !Array.isArray(value)),
    'a',
    [],
    [''],
    [5],
    { 0: 'a', length: 1 },
  ])('%j: absent', (tags) => {
    expect(readTags(tags)).toBeUndefined();
  });

  test('are looked for among the first thousand entries', () => {
    const bad = (count: number) => Array.from({ length: count }, () => '');
    expect(readTags([...bad(999), 'a'])).toEqual(['a']);
    expect(readTags([...bad(1_000), 'a'])).toBeUndefined();
  });
});

describe('a description', () => {
  test.each<[string, string, string]>([
    ['is taken as it is', 'Wetter für alle 🌦\n', 'Wetter für alle 🌦\n'],
    ['of 4,096 characters is taken whole', 'a'.repeat(4_096), 'a'.repeat(4_096)],
    ['is cut there', 'a'.repeat(4_097), 'a'.repeat(4_096)],
    ['is not cut in the middle of a character', `${'a'.repeat(4_095)}🌦`, 'a'.repeat(4_095)],
    ['is made well-formed', 'a\ud800b\udc00', 'a\ufffdb\ufffd'],
  ])('%s', (_rule, description, read) => {
    expect(readDescription(description)).toBe(read);
  });

  test.each([...notStrings, ''])('%j: absent', (description) => {
    expect(readDescription(description)).toBeUndefined();
  });
});

describe('a MIME type', () => {
  test.each(['application/json', 'text/plain; charset=utf-8', 'a'.repeat(255)])(
    '%.40s is taken',
    (mimeType) => {
      expect(readMimeType(mimeType)).toBe(mimeType);
    },
  );

  test.each([...notStrings, '', 'a'.repeat(256), 'text/html\r\nx: y', 'a\u0085'])(
    '%j: absent',
    (mimeType) => {
      expect(readMimeType(mimeType)).toBeUndefined();
    },
  );
});

test('a defect drops its field only', () => {
  const good = {
    description: 'd',
    mimeType: 'm',
    serviceName: 's',
    tags: ['t'],
    iconUrl: 'https://example.com/i.png',
  };
  expect(readMetadata({ url: 'https://example.com/', ...good })).toEqual(good);
  for (const name of Object.keys(good) as (keyof typeof good)[]) {
    const { [name]: _bad, ...others } = good;
    expect(readMetadata({ ...good, [name]: 5 })).toEqual(others);
  }
});

test('what is absent is not there at all', () => {
  expect(Object.keys(readMetadata({}))).toEqual([]);
});
