import fc from 'fast-check';
import { expect, test } from 'vitest';
import { catalogCodes } from '../../../src/contract/index.ts';
import { parameterText } from '../../../src/catalog/declaration/parameterText.ts';
import { readDeclaration } from '../../../src/catalog/declaration/read.ts';
import type { Declaration } from '../../../src/catalog/listing.ts';
import { stockDeclarations, type Echo } from './stockDeclarations.ts';

const seed = 20261203;
console.info(`seed ${seed}`);

const json = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom<unknown>(
    ...['', '#', '#/', '#/$defs/a', '//x', '/:a', 'http', 'mcp', 'GET', 'text', 'sse', '\ud800', '__proto__'],
    ...['https://example.com/a?b#c', 'https://a@b.example/', 'http://127.1/', 'https://example.com/\\'],
    ...[null, true, 0, -1, 1e308, [], {}, ['a'], { type: 'string' }, { $ref: '#' }, { pattern: '(' }],
  ),
);
const name = fc.constantFrom(
  ...['type', 'properties', 'required', 'enum', 'const', 'allOf', 'oneOf', 'not', 'if', 'items', 'x'],
  ...['$ref', '$id', '$defs', '$anchor', '$dynamicRef', '$schema', 'pattern', 'format', 'dependencies'],
  ...['method', 'bodyType', 'body', 'queryParams', 'transport', 'toolName', 'inputSchema', 'routeTemplate'],
  ...['url', 'tags', 'iconUrl', 'serviceName', 'description', 'mimeType', '__proto__', 'constructor', 'code'],
);
const pick = fc.nat(1_000);

/** Puts a value somewhere inside, under a name that is there or a new one. */
function plant(root: any, picks: number[], key: string, replaces: boolean, value: unknown): void {
  let at = root;
  for (const choice of picks) {
    const children: unknown[] = Object.values(at).filter(
      (child) => typeof child === 'object' && child !== null,
    );
    if (children.length === 0) break;
    at = children[choice % children.length];
  }
  const keys = Object.keys(at);
  const under = replaces && keys.length > 0 ? keys[picks.length % keys.length]! : key;
  Object.defineProperty(at, under, { value, enumerable: true, configurable: true, writable: true });
}

const spoilt = fc
  .tuple(
    fc.constantFrom(...Object.values(stockDeclarations)),
    fc.array(fc.tuple(fc.array(pick, { maxLength: 6 }), name, fc.boolean(), json), { maxLength: 3 }),
  )
  .map(([stock, changes]): Echo => {
    const echo = { ...stock() };
    for (const [picks, key, replaces, value] of changes) plant(echo, picks, key, replaces, value);
    return JSON.parse(JSON.stringify(echo)) as Echo;
  });
const anything = fc.record({ bazaar: json, resource: json });

function expectListable(declaration: Declaration): void {
  const url = new URL(declaration.resource);
  expect(declaration.resource).toBe(url.origin + url.pathname);
  expect(declaration.resource.length).toBeLessThanOrEqual(2_048);
  expect(declaration.toolName === '').toBe(declaration.type === 'http');
  const { description, mimeType, serviceName, tags, iconUrl } = declaration.metadata;
  for (const text of [description, mimeType, serviceName, iconUrl, ...(tags ?? ['tag'])]) {
    if (text === undefined) continue;
    expect(text).not.toBe('');
    expect(text.isWellFormed()).toBe(true);
  }
  if (serviceName !== undefined) expect(serviceName).toMatch(/^[\x20-\x7e]{1,32}$/);
  if (tags !== undefined) {
    expect(tags.length).toBeGreaterThan(0);
    expect(tags.length).toBeLessThanOrEqual(5);
    expect(new Set(tags.map((tag) => tag.toLowerCase())).size).toBe(tags.length);
  }
  expect(parameterText(declaration).length).toBeLessThanOrEqual(8_192);
}

/** Tells whether it was listable. */
function expectAnswer({ bazaar, resource }: Echo): boolean {
  const before = JSON.stringify({ bazaar, resource });
  const answer = readDeclaration(bazaar, resource);
  expect(JSON.stringify({ bazaar, resource })).toBe(before);
  if ('code' in answer) {
    expect(catalogCodes).toContain(answer.code);
    expect(answer.message).toMatch(/^\P{Cc}{1,300}$/u);
    return false;
  }
  expectListable(answer);
  const again = readDeclaration(answer.bazaar, { ...resource, url: answer.resource });
  expect(again).toEqual(answer);
  return true;
}

test(`whatever is echoed is read or refused (seed ${seed})`, () => {
  fc.assert(
    fc.property(anything, (echo) => void expectAnswer(echo)),
    { seed, numRuns: 2_000 },
  );
});

test(`a stock declaration with things changed in it is read or refused, and read again the same (seed ${seed})`, () => {
  let read = 0;
  const runs = 3_000;
  fc.assert(
    fc.property(spoilt, (echo) => void (expectAnswer(echo) && (read += 1))),
    { seed, numRuns: runs },
  );
  // Neither everything nor nothing.
  expect(read).toBeGreaterThan(runs / 10);
  expect(read).toBeLessThan(runs);
});
