import { describe, expect, test } from 'vitest';
import { CATALOG_LIMITS } from '../../src/agent/limits.ts';
import { useAgentStage } from './support/stage.ts';

const stage = useAgentStage();

describe('the arguments are refused', () => {
  test.each([
    ['neither an id nor a URL', {}],
    ['both', { resourceId: 'svc1:x', url: 'http://127.0.0.1/' }],
    ['a URL of another kind', { url: 'ftp://127.0.0.1/' }],
    ['a URL with a password', { url: 'http://u:p@127.0.0.1/' }],
    ['a URL with a space', { url: 'http://127.0.0.1/a b' }],
    ['a relative URL', { url: '/weather' }],
    ['a method that there is not', { url: 'http://127.0.0.1/', method: 'TRACE' }],
    ['an input that is no object', { url: 'http://127.0.0.1/', input: [1] }],
    ['an input that is a text, where there is no text body', { url: 'http://127.0.0.1/', input: 'Porto' }],
    [
      'an input of more bytes than 1 MiB',
      { url: 'http://127.0.0.1/', method: 'POST', input: { text: '€'.repeat(350_000) } },
    ],
    ['an argument that there is not', { url: 'http://127.0.0.1/', amount: 5 }],
    ['a header that is no text', { url: 'http://127.0.0.1/', headers: { accept: 5 } }],
    ['a method for a tool', { url: 'http://127.0.0.1/', toolName: 'x', method: 'GET' }],
    ['headers for a tool', { url: 'http://127.0.0.1/', toolName: 'x', headers: {} }],
    ['an id that is a number', { resourceId: 5 }],
    ['an id that is too long', { resourceId: 'svc1:' + 'a'.repeat(CATALOG_LIMITS.maxIdChars) }],
    ['a method for a listing', { resourceId: 'svc1:x', method: 'GET' }],
  ])('when they are %s', async (_name, args) => {
    const { isError, structured } = await (await stage.searcher()).pay(args);
    expect(isError).toBe(true);
    expect(structured).toEqual({
      errorCode: 'svc_mcp_invalid_arguments',
      reason: expect.stringContaining('othing was paid'),
    });
  });
});
