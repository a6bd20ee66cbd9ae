import { describe, expect, test } from 'vitest';
import { expectDocumented, type Exchange } from '../support/contract.ts';

const headers = { 'content-type': 'application/json; charset=utf-8', 'x-request-id': 'r-1' };
const verified: Exchange = { method: 'POST', path: '/verify', status: 200, headers, body: { isValid: true } };
const failure = { isValid: false, invalidReason: 'svc_internal_error', invalidMessage: 'why' };
const settled: Exchange = {
  method: 'POST',
  path: '/settle',
  status: 200,
  headers,
  body: { success: true, transaction: 'ab'.repeat(32), network: 'stellar:testnet' },
};
const unknownRoute: Exchange = {
  method: 'GET',
  path: '/verify',
  status: 404,
  headers,
  body: { error: { code: 'svc_unknown_route', reason: 'why' } },
};
const listed: Exchange = {
  method: 'GET',
  path: '/discovery/resources?limit=1&type=http',
  status: 200,
  headers,
  body: { x402Version: 2, items: [], pagination: { limit: 1, offset: 0, total: 0 } },
};
const refusedQuery: Exchange = {
  ...listed,
  path: '/discovery/search?query=',
  status: 400,
  body: { error: { code: 'svc_missing_search_query', reason: 'why' } },
};
const extensionResponses = (value: unknown): Exchange['headers'] => ({
  ...headers,
  'extension-responses': Buffer.from(JSON.stringify(value)).toString('base64'),
});

describe('an answer passes when it is documented', () => {
  test.each<[string, Exchange]>([
    ['a verdict', verified],
    [
      'a verdict as text, with headers as fetch gives them',
      { ...verified, headers: new Headers(headers), body: '{"isValid":true}' },
    ],
    ['a fault', { ...verified, status: 500, body: failure }],
    ['a settlement', settled],
    ['a listing', { ...settled, headers: extensionResponses({ bazaar: { status: 'success' } }) }],
    ['a wrong method', unknownRoute],
    ['an unknown route with a query', { ...unknownRoute, path: '/nowhere?a=1' }],
    ['a page of the catalog', listed],
    ['a refused query', refusedQuery],
    ['an answer without a body', { ...unknownRoute, method: 'HEAD', body: '' }],
  ])('%s', (_, exchange) => {
    expectDocumented(exchange);
  });
});

describe('an answer fails when', () => {
  test.each<[string, Exchange]>([
    ['its status is not documented', { ...verified, status: 202 }],
    ['a field is not documented', { ...verified, body: { isValid: true, note: 'x' } }],
    ['a required field is missing', { ...verified, body: {} }],
    ['a fault travels with 200', { ...verified, body: failure }],
    [
      'a refusal of the scheme travels with 400',
      { ...verified, status: 400, body: { ...failure, invalidReason: 'invalid_network' } },
    ],
    ['a verdict without a code travels with 400', { ...verified, status: 400 }],
    ['the request id is missing', { ...verified, headers: { 'content-type': 'application/json' } }],
    ['the content type is another', { ...verified, headers: { ...headers, 'content-type': 'text/plain' } }],
    ['verify answers for extensions', { ...verified, headers: extensionResponses({}) }],
    [
      'the catalog is still processing',
      { ...settled, headers: extensionResponses({ bazaar: { status: 'processing' } }) },
    ],
    ['a page of the list is in the shape of the search', { ...listed, path: '/discovery/search?query=a' }],
    ['a query is refused with 404', { ...refusedQuery, status: 404 }],
    ['an unknown route answers 200', { ...unknownRoute, status: 200 }],
    [
      'an unknown route answers with another code',
      { ...unknownRoute, body: { error: { code: 'svc_internal_error', reason: 'x' } } },
    ],
  ])('%s', (_, exchange) => {
    expect(() => expectDocumented(exchange)).toThrow(expect.objectContaining({ name: 'AssertionError' }));
  });
});
