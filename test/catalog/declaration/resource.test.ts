import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalUrl, readResourceUrl } from '../../../src/catalog/declaration/resource.ts';

const SEED = 20261128;

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

describe('where only public addresses are allowed, the resource URL', () => {
  test.each([
    'https://api.example.com/weather',
    'https://seller.test:8443/',
    'https://8.8.8.8/',
    'http://[2606:4700::1111]/',
    'http://172.15.255.255/',
    'http://172.32.0.0/',
    'http://[::ffff:8.8.8.8]/',
    'https://localhost.example.com/',
    'https://internal-tools.com/',
  ])('%s is taken', (url) => {
    expect(readResourceUrl({ url }, false)).toBeInstanceOf(URL);
  });

  test.each([
    'http://localhost:4021/weather',
    'http://LOCALHOST/',
    'http://localhost./',
    'http://api.localhost/',
    'http://weather/',
    'http://printer.local/',
    'http://api.svc.cluster.local/',
    'http://metadata.google.internal/',
    'http://router.home.arpa/',
    'http://intranet/',
    'http://127.0.0.1/',
    'http://127.255.255.254/',
    'http://127.1/',
    'http://2130706433/',
    'http://0x7f000001/',
    'http://0177.0.0.1/',
    'http://%31%32%37.0.0.1/',
    'http://１２７.0.0.1/',
    'http://127.0.0.1./',
    'http://0.0.0.0/',
    'http://0/',
    'http://10.1.2.3/',
    'http://172.16.0.1/',
    'http://172.31.255.255/',
    'http://192.168.1.1/',
    'http://100.64.0.1/',
    'http://169.254.169.254/latest/meta-data',
    'http://192.0.0.1/',
    'http://192.0.2.1/',
    'http://198.18.0.1/',
    'http://198.51.100.1/',
    'http://203.0.113.1/',
    'http://224.0.0.1/',
    'http://240.0.0.1/',
    'http://255.255.255.255/',
    'http://[::]/',
    'http://[::1]/',
    'http://[0:0:0:0:0:0:0:1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::ffff:a00:1]/',
    'http://[::127.0.0.1]/',
    'http://[64:ff9b::10.0.0.1]/',
    'http://[2002:7f00:1::]/',
    'http://[fe80::1]/',
    'http://[fec0::1]/',
    'http://[fc00::1]/',
    'http://[fdab::1]/',
    'http://[ff02::1]/',
    'http://[2001:db8::1]/',
  ])('%s: refused', (url) => {
    expect(readResourceUrl({ url }, false)).toEqual({
      code: 'bazaar_resource_url_invalid',
      message: expect.stringMatching(/^resource\.url must name a host of the public internet, not "/),
    });
    expect(readResourceUrl({ url })).toBeInstanceOf(URL);
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
    [
      'decodes what need not be encoded',
      'https://a.example/%77e%61ther%2D%5f%7e%2Ex',
      undefined,
      'https://a.example/weather-_~.x',
    ],
    [
      'keeps reserved characters encoded, in capitals',
      'https://a.example/a%2fb%3fc%c3%a9%20',
      undefined,
      'https://a.example/a%2Fb%3Fc%C3%A9%20',
    ],
    [
      'keeps reserved characters as they are',
      "https://a.example/a:b@c!$&'()*+,;=d",
      undefined,
      "https://a.example/a:b@c!$&'()*+,;=d",
    ],
    ['resolves encoded dots', 'https://a.example/x/%2e%2E/%2e/w', undefined, 'https://a.example/w'],
    ['decodes once', 'https://a.example/%2577', undefined, 'https://a.example/%2577'],
    [
      'decodes nothing into an escape',
      'https://a.example/%2%65/%%34%31',
      undefined,
      'https://a.example/%2%65/%%341',
    ],
    ['keeps empty segments', 'https://a.example//weather', undefined, 'https://a.example//weather'],
    ['decodes in a template', 'https://a.example/w', '/%77/:city', 'https://a.example/w/:city'],
    [
      'keeps what is reserved in a template',
      'https://a.example/w',
      '/w/%3acity',
      'https://a.example/w/%3Acity',
    ],
  ])('%s', (_rule, url, template, canonical) => {
    expect(canonicalUrl(readResourceUrl({ url }) as URL, template)).toBe(canonical);
  });

  test(`is the canonical URL of itself (seed ${SEED})`, () => {
    const part = fc.constantFrom(
      '%',
      '%2',
      '%2e',
      '%2E',
      '.',
      '..',
      '/',
      '//',
      '%77',
      '%41',
      '4',
      '1',
      'w',
      '%c3',
      '%25',
      '%2F',
      'é',
      '~',
    );
    const path = fc.array(part, { maxLength: 9 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(path, (text) => {
        const canonical = canonicalUrl(new URL(`https://a.example/${text}`));
        expect(canonicalUrl(new URL(canonical))).toBe(canonical);
      }),
      { seed: SEED, numRuns: 20_000 },
    );
  });
});
