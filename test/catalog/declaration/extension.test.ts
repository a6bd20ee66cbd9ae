import { expect, test } from 'vitest';
import { checkExtension, checkExtensionsSize } from '../../../src/catalog/declaration/extension.ts';

const textOf = (bytes: number, filler = 'a') => filler.repeat(bytes / Buffer.byteLength(filler));

test.each<[string, string]>([
  ['nothing', ''],
  ['65,536 bytes', textOf(65_536)],
  ['65,536 bytes in letters of two', textOf(65_536, 'é')],
])('extensions of %s pass', (_size, text) => {
  expect(checkExtensionsSize(text)).toBeUndefined();
});

test.each<[string, string]>([
  ['65,537 bytes', textOf(65_537)],
  ['fewer characters but more bytes', textOf(65_538, 'é')],
])('extensions of %s are too large', (_size, text) => {
  const refusal = checkExtensionsSize(text);
  expect(refusal?.code).toBe('bazaar_extensions_too_large');
  expect(refusal?.message).toContain('65536');
});

test.each<[string, unknown]>([
  ['an object with info and schema', { info: {}, schema: {} }],
  ['whatever these are', { info: null, schema: [] }],
  ['beside anything else', { info: {}, schema: {}, code: 'x', routeTemplate: 5 }],
])('%s is an extension', (_what, bazaar) => {
  expect(checkExtension(bazaar)).toBeUndefined();
});

test.each<[string, unknown, string]>([
  ['nothing', undefined, 'undefined'],
  ['null', null, 'null'],
  ['true', true, 'true'],
  ['a number', 5, '5'],
  ['a string', 'bazaar', '"bazaar"'],
  ['an array', [{ info: {}, schema: {} }], 'an array'],
  ['an object without info', { schema: {} }, 'no info'],
  ['an object without schema', { info: {} }, 'no schema'],
  ['an empty object', {}, 'no info'],
  [
    'an object that only inherits info and schema',
    JSON.parse('{"__proto__":{"info":{},"schema":{}}}'),
    'no info',
  ],
])('%s is no extension', (_what, bazaar, named) => {
  const refusal = checkExtension(bazaar);
  expect(refusal?.code).toBe('bazaar_extension_not_object');
  expect(refusal?.message).toContain(named);
});
