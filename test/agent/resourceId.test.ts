import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatResourceId, parseResourceId } from '../../src/agent/resourceId.ts';
import { isClean } from '../../src/agent/words.ts';

const encode = (text: string | Uint8Array): string => `svc1:${Buffer.from(text).toString('base64url')}`;
const HTTP = { type: 'http', resource: 'https://api.example.com/weather', toolName: '' } as const;

describe('a resource id', () => {
  test('is svc1: and base64url of the JSON array of type, resource and tool name', () => {
    expect(formatResourceId(HTTP)).toBe('svc1:WyJodHRwIiwiaHR0cHM6Ly9hcGkuZXhhbXBsZS5jb20vd2VhdGhlciIsIiJd');
    expect(parseResourceId(formatResourceId(HTTP))).toEqual(HTTP);
  });

  test('of any listing leads back to it', () => {
    const listing = fc.oneof(
      fc.webUrl().map((resource) => ({ type: 'http' as const, resource, toolName: '' })),
      fc.record({
        type: fc.constant('mcp' as const),
        resource: fc.webUrl(),
        toolName: fc.string({ minLength: 1, unit: 'grapheme' }).filter(isClean),
      }),
    );
    fc.assert(
      fc.property(listing, (key) => {
        expect(parseResourceId(formatResourceId(key))).toEqual(key);
      }),
      { seed: 7 },
    );
  });

  test('of any text is one that was written, or none', () => {
    const near = fc.tuple(fc.nat(70), fc.string({ minLength: 1, maxLength: 1 })).map(([at, char]) => {
      const id = formatResourceId(HTTP);
      return id.slice(0, at) + char + id.slice(at + 1);
    });
    fc.assert(
      fc.property(fc.oneof(near, fc.string(), fc.string().map(encode), fc.json().map(encode)), (id) => {
        const key = parseResourceId(id);
        expect(key === undefined || formatResourceId(key) === id).toBe(true);
      }),
      { seed: 7, numRuns: 2_000 },
    );
  });

  test.each([
    ['an empty text', ''],
    ['another prefix', formatResourceId(HTTP).replace('svc1:', 'svc2:')],
    ['a prefix in capitals', formatResourceId(HTTP).replace('svc1:', 'SVC1:')],
    ['no prefix', formatResourceId(HTTP).slice(5)],
    ['space around it', ` ${formatResourceId(HTTP)}`],
    ['padding', encode('["http","https://a.example/",""]') + '='],
    ['a character of plain base64', encode('["http","https://a.example/???",""]').replace('_', '/')],
    ['a character that decoders skip', formatResourceId(HTTP).replace('WyJ', 'Wy\nJ')],
    ['bits that decoders drop', encode('["http","https://a.example/ab",""]').replace(/.$/, 'V')],
    ['no JSON', encode('["http"')],
    ['no list', encode('{"0":"http"}')],
    ['two parts', encode('["http","https://a.example/"]')],
    ['four parts', encode('["http","https://a.example/","",""]')],
    ['a part that is no text', encode('["http","https://a.example/",null]')],
    ['a URL with a space', encode('["http","https://a.example/ b",""]')],
    ['a URL that hides something', encode('["http","https://a.example/\u{e0041}",""]')],
    ['a tool that hides something', encode('["mcp","https://a.example/","tool\u{e0100}"]')],
    ['a tool that turns its name around', encode('["mcp","https://a.example/","\u202eloot"]')],
    ['another type', encode('["ftp","https://a.example/",""]')],
    ['http with a tool', encode('["http","https://a.example/","tool"]')],
    ['mcp without a tool', encode('["mcp","https://a.example/",""]')],
    ['a relative URL', encode('["http","/weather",""]')],
    ['another scheme', encode('["http","file:///etc/passwd",""]')],
    ['JSON with spaces', encode('["http", "https://a.example/", ""]')],
    ['JSON with an escape', encode('["http","https:\\u002f/a.example/",""]')],
    [
      'bytes that are no UTF-8',
      encode(
        Buffer.concat([
          Buffer.from('["http","https://a.example/'),
          Buffer.from([0xff]),
          Buffer.from('",""]'),
        ]),
      ),
    ],
  ])('with %s is none', (_name, id) => {
    expect(parseResourceId(id)).toBeUndefined();
  });
});
