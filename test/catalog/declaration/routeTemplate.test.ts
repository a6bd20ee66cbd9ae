import { expect, test } from 'vitest';
import { isRouteTemplate } from '../../../src/catalog/declaration/routeTemplate.ts';

/** A letter, encoded so often that decoding finds nothing more to do in the given pass. */
const stableInPass = (pass: number) => `/a%${'25'.repeat(pass - 2)}41`;

test.each([
  '/weather/:city',
  '/a',
  '/:id',
  '/users/:userId/posts/:post_id',
  '/v1.0/~x/a-b',
  '/a/',
  '/a//b',
  '/a%20b',
  '/%C3%A9',
  '/a/./b',
  stableInPass(2),
  stableInPass(5),
])('%s is a route template', (template) => {
  expect(isRouteTemplate(template)).toBe(true);
});

test.each<[string, unknown]>([
  ['nothing', undefined],
  ['null', null],
  ['a number', 5],
  ['an array', ['/a']],
  ['an empty string', ''],
  ['a lone slash', '/'],
  ['no slash at the start', 'weather/:city'],
  ['a full URL', 'https://a.example/b'],
  ['brackets', '/weather/[city]'],
  ['a star', '/a/*'],
  ['a query', '/a?b'],
  ['a fragment', '/a#b'],
  ['a space', '/a b'],
  ['a line break at the end', '/a\n'],
  ['another letter', '/é'],
  ['a backslash', '/a\\b'],
  ['a step up', '/a/../b'],
  ['two dots in a name', '/a..b'],
  ['an encoded step up', '/a/%2e%2e/b'],
  ['a step up, encoded twice', '/a/%252e%252e/b'],
  ['a step up, half encoded', '/a/.%2e/b'],
  ['another host', '/a://b'],
  ['an encoded other host', '/a%3a%2f%2fb'],
  ['another host, encoded twice', '/a%253a%252f%252fb'],
  ['two slashes at the start', '//evil.example/x'],
  ['an encoded second slash', '/%2f%2fevil'],
  ['a second slash, encoded twice', '/%252fevil'],
  ['an encoded NUL', '/a%00b'],
  ['a NUL, encoded twice', '/a%2500b'],
  ['an encoded line break', '/a%0ab'],
  ['an encoded control character beyond ASCII', '/a%c2%85b'],
  ['an encoded DEL', '/a%7fb'],
  ['an encoded backslash', '/a%5cb'],
  ['a backslash, encoded three times', '/a%25255cb'],
  ['a malformed escape', '/a%zz'],
  ['half an escape', '/a%2'],
  ['bytes that are no UTF-8', '/a%ff'],
  ['a lone percent sign, encoded', '/a%25'],
  ['a malformed escape in a deeper layer', '/a%25zz'],
  ['more layers than are decoded', stableInPass(6)],
])('%s is none', (_what, template) => {
  expect(isRouteTemplate(template)).toBe(false);
});
