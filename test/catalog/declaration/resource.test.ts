import { describe, expect, test } from 'vitest';
import { canonicalUrl, readResourceUrl } from '../../../src/catalog/declaration/resource.ts';

describe('the resource URL', () => {
  test.each([
    'https://api.example.com/weather',
    'http://api.example.com',
    'HTTPS://API.EXAMPLE.COM/Weather?city=Lisbon#now',
    'http://localhost:4021/weather',
    'http://127.0.0.1/',
    'http://[::1]:8080/x',
    'https://münchen.example/straße',
    'https://example.com/@user',
    'https://example.com/a?next=https://other@example.com/\\',
    `https://example.com/${'a'.repeat(2_048 - 'https://example.com/'.length)}`,
  ])('%.60s is taken', (url) => {
    expect(readResourceUrl({ url })).toBeInstanceOf(URL);
  });

  test.each<[string, unknown]>([
    ['no resource', undefined],
    ['null for a resource', null],
    ['a string for a resource', 'https://api.example.com/'],
    ['an array for a resource', [{ url: 'https://api.example.com/' }]],
    ['no url', {}],
    ...(
      [
        ['null', null],
        ['a number', 5],
        ['an array', ['https://api.example.com/']],
        ['an empty string', ''],
        ['a path', '/weather'],
        ['no scheme', 'api.example.com/weather'],
        ['a relative scheme', '//api.example.com/weather'],
        ['the name of a tool', 'mcp://tool/convert'],
        ['ftp', 'ftp://example.com/x'],
        ['javascript', 'javascript:alert(1)'],
        ['data', 'data:text/plain,x'],
        ['no slashes', 'https:example.com/x'],
        ['one slash', 'https:/example.com/x'],
        ['three slashes', 'https:///example.com/x'],
        ['backslashes', 'https:\\\\example.com\\x'],
        ['a backslash in the path', 'https://example.com/a\\b'],
        ['a backslash before another host', 'https://example.com\\@evil.example/'],
        ['credentials', 'https://user:password@example.com/'],
        ['a user', 'https://user@example.com/'],
        ['empty credentials', 'https://@example.com/'],
        ['a space before it', ' https://example.com/'],
        ['a space after it', 'https://example.com/ '],
        ['a tab in it', 'https://exa\tmple.com/'],
        ['a line break in it', 'https://example.com/\nx'],
        ['a NUL in it', 'https://example.com/\0'],
        ['half a character in it', 'https://example.com/\ud800'],
        ['no host', 'https://?x'],
        ['a host with a space', 'https://exa mple.com/'],
        ['a wrong port', 'https://example.com:99999/'],
        ['2,049 characters', `https://example.com/${'a'.repeat(2_049 - 'https://example.com/'.length)}`],
        ['more than 2,048 characters once encoded', `https://example.com/${'é'.repeat(1_000)}`],
      ] as [string, unknown][]
    ).map(([what, url]): [string, unknown] => [what, { url }]),
  ])('%s: refused', (_what, resource) => {
    expect(readResourceUrl(resource)).toEqual({
      code: 'bazaar_resource_url_invalid',
      message: expect.stringContaining('resource'),
    });
  });
});

describe('the canonical URL', () => {
  test.each<[string, string, string | undefined, string]>([
    ['drops query and fragment', 'https://a.example/w?city=x#y', undefined, 'https://a.example/w'],
    ['writes hosts in one way', 'HTTPS://A.Example/W', undefined, 'https://a.example/W'],
    ['leaves the default port out', 'https://a.example:443/w', undefined, 'https://a.example/w'],
    ['keeps another port', 'http://a.example:443/w', undefined, 'http://a.example:443/w'],
    ['has a path', 'https://a.example', undefined, 'https://a.example/'],
    ['keeps a slash at the end', 'https://a.example/w/', undefined, 'https://a.example/w/'],
    ['resolves dots', 'https://a.example/x/../w', undefined, 'https://a.example/w'],
    ['writes addresses in one way', 'http://0x7f.1/', undefined, 'http://127.0.0.1/'],
    ['encodes other letters', 'https://é.example/é', undefined, 'https://xn--9ca.example/%C3%A9'],
    ['has the template for its path', 'https://a.example/w/x?y', '/w/:city', 'https://a.example/w/:city'],
    ['resolves dots of a template', 'https://a.example/w/x', '/./w/:city', 'https://a.example/w/:city'],
    ['leaves the dot of the root out', 'https://a.example./w', undefined, 'https://a.example/w'],
    ['leaves it out before a port', 'https://a.example.:8443/w', undefined, 'https://a.example:8443/w'],
    ['leaves it out before a template', 'https://a.example./w/x', '/w/:city', 'https://a.example/w/:city'],
    ['leaves it out of addresses', 'http://127.0.0.1./', undefined, 'http://127.0.0.1/'],
    ['keeps dots of the path', 'https://a.example/w.', undefined, 'https://a.example/w.'],
  ])('%s', (_rule, url, template, canonical) => {
    expect(canonicalUrl(readResourceUrl({ url }) as URL, template)).toBe(canonical);
  });
});
