import { describe, expect, onTestFinished, test } from 'vitest';
import { openShop } from '../interop/bazaarShop.ts';
import { AMOUNT } from '../support/payments.ts';
import { openSeller, type Seller, type Visit } from './support/seller.ts';
import { useAgentStage } from './support/stage.ts';

const stage = useAgentStage();

/** Declares how a seller's resource is called, and lists it; returns its id as search tells it. */
async function listed(seller: Seller, path: string, input: object, more: object = {}): Promise<string> {
  const word = `word${seller.origin.split(':').at(-1)}`;
  const { schema = { type: 'object' }, ...bazaar } = more as { schema?: object };
  await stage.list(
    { url: seller.origin + path, description: word },
    { info: { input: { type: 'http', ...input } }, schema, ...bazaar },
  );
  const { structured } = await (await stage.searcher()).search(word);
  expect(structured.resources).toHaveLength(1);
  return structured.resources[0].id;
}

const free = (visit: Visit) => visit.deliver({ got: visit.body.toString() });

describe('a stock @x402/express seller', () => {
  test.each(['GET', 'DELETE', 'POST', 'PUT', 'PATCH'])(
    'is paid for %s, found in the catalog and paid again',
    async (method) => {
      const word = `stock${method.toLowerCase()}`;
      const facilitatorUrl = stage.facilitator.url;
      const declared =
        method === 'GET' || method === 'DELETE'
          ? { queryParams: { a: '1' } }
          : { bodyType: 'json', body: { a: '1' } };
      const extensions = {
        bazaar: { info: { input: { type: 'http', method, ...declared } }, schema: { type: 'object' } },
      };
      const shop = await openShop(
        { sandbox: stage.sandbox, facilitatorUrl },
        { [`${method} /thing`]: { description: word, extensions } },
      );
      onTestFinished(() => shop.close());
      const buyer = await stage.buyer();
      const first = await buyer.pay({ url: `${shop.origin}/thing`, method, input: { b: 2 } });
      expect(first.structured).toMatchObject({
        paid: true,
        result: { sold: true },
        payment: { receiptChecked: true },
      });
      const { structured: found } = await buyer.search(word);
      const second = await buyer.pay({ resourceId: found.resources[0].id });
      expect(second.structured).toMatchObject({ paid: true, result: { sold: true } });
      expect(buyer.spent()).toBe(2n * AMOUNT);
      expect(shop.sales.map(({ result }) => result.transaction)).toEqual(
        [first, second].map(({ structured }) => structured.receipt.transaction),
      );
    },
  );
});

describe('the request', () => {
  test('has the same method, URL and body with the payment as before it', async () => {
    const seller = await openSeller(stage);
    const buyer = await stage.buyer();
    await buyer.pay({
      url: `${seller.url}?x=1#part`,
      method: 'PATCH',
      input: { b: [1, { c: null }], a: 'é' },
    });
    const seen = seller.visits.map(({ request: { method, headers }, path, body }) => [
      method,
      path,
      headers['content-type'],
      body.toString(),
    ]);
    expect(seen).toEqual([seen[0], seen[0]]);
    expect(seen[0]).toEqual(['PATCH', '/weather?x=1', 'application/json', '{"b":[1,{"c":null}],"a":"é"}']);
  });

  test.each(['GET', 'HEAD', 'DELETE'])(
    'of %s has the input in its query, in the order of the names',
    async (method) => {
      const seller = await openSeller(stage, free);
      const buyer = await stage.buyer();
      const input = { z: 'ü & =', a: 1, list: ['x', 'y'], flag: true, nothing: null, object: { k: 'v' } };
      const { structured } = await buyer.pay({ url: `${seller.url}?own=1`, method, input });
      expect(seller.visits[0]!.request.method).toBe(method);
      expect(seller.visits[0]!.path).toBe(
        '/weather?own=1&a=1&flag=true&list=x&list=y&object=%7B%22k%22%3A%22v%22%7D&z=%C3%BC+%26+%3D',
      );
      expect(structured).toMatchObject({
        paid: false,
        status: 200,
        result: method === 'HEAD' ? null : { got: '' },
      });
    },
  );

  test('has a form where the body is one', async () => {
    const seller = await openSeller(stage, free);
    const { structured } = await (
      await stage.buyer()
    ).pay({
      url: seller.url,
      method: 'POST',
      bodyType: 'form-data',
      input: { name: 'Ana', tags: ['x', 'y'] },
    });
    expect(seller.visits[0]!.request.headers['content-type']).toMatch(/^multipart\/form-data; ?boundary=/);
    const form = await new Response(structured.result.got, {
      headers: { 'content-type': seller.visits[0]!.request.headers['content-type']! },
    }).formData();
    expect([form.get('name'), form.getAll('tags')]).toEqual(['Ana', ['x', 'y']]);
  });

  test.each([
    ['an object with one text', { text: 'olá' }],
    ['a text', 'olá'],
  ])('has a text where the body is one, given as %s', async (_name, input) => {
    const seller = await openSeller(stage, free);
    const { structured } = await (
      await stage.buyer()
    ).pay({ url: seller.url, method: 'PUT', bodyType: 'text', input });
    expect(structured.result).toEqual({ got: 'olá' });
    expect(seller.visits[0]!.request.headers['content-type']).toBe('text/plain;charset=UTF-8');
  });

  test('reads an input that a model wrote as JSON text', async () => {
    const seller = await openSeller(stage, free);
    await (await stage.buyer()).pay({ url: seller.url, input: '{"city":"Porto"}' });
    expect(seller.visits[0]!.path).toBe('/weather?city=Porto');
  });

  test('carries the headers that may be set', async () => {
    const seller = await openSeller(stage, free);
    const headers = { 'Accept-Language': 'pt', 'idempotency-key': '42' };
    await (await stage.buyer()).pay({ url: seller.url, headers });
    expect(seller.visits[0]!.request.headers).toMatchObject({
      'accept-language': 'pt',
      'idempotency-key': '42',
    });
  });

  test.each([
    [{ authorization: 'Bearer x' }],
    [{ cookie: 'a=b' }],
    [{ host: 'elsewhere' }],
    [{ 'PAYMENT-SIGNATURE': 'x' }],
    [{ 'x-payment': 'x' }],
    [{ 'content-length': '5' }],
    [{ accept: 'a\r\nhost: elsewhere' }],
    [{ accept: 'a'.repeat(2_000) }],
  ])('is not sent with the header %j', async (headers) => {
    const seller = await openSeller(stage, free);
    const { structured } = await (await stage.buyer()).pay({ url: seller.url, headers });
    expect(structured).toMatchObject({
      errorCode: 'svc_mcp_invalid_arguments',
      reason: expect.stringContaining('header'),
    });
    expect(seller.visits).toEqual([]);
  });
});

describe('by a listing', () => {
  test('the example is sent where nothing else is given', async () => {
    const seller = await openSeller(stage, free);
    const id = await listed(seller, '/report', {
      method: 'POST',
      bodyType: 'json',
      body: { text: 'a text' },
      queryParams: { lang: 'pt' },
      headers: { accept: 'text/plain', authorization: 'Bearer of-the-seller' },
    });
    const { structured } = await (await stage.searcher()).pay({ resourceId: id });
    expect(structured).toMatchObject({
      resource: `${seller.origin}/report`,
      result: { got: '{"text":"a text"}' },
    });
    const [{ path, request }] = seller.visits as [Visit];
    expect(path).toBe('/report?lang=pt');
    expect(request.headers['accept']).toBe('text/plain');
    expect(request.headers['authorization']).toBeUndefined();
  });

  test('each value goes where the listing declares its name', async () => {
    const seller = await openSeller(stage, free);
    const id = await listed(
      seller,
      '/towns/:town/reports/:id',
      { method: 'PUT', bodyType: 'json', body: { text: 'x' }, pathParams: { town: 'Faro', id: '1' } },
      {
        routeTemplate: '/towns/:town/reports/:id',
        schema: {
          type: 'object',
          properties: {
            input: {
              type: 'object',
              properties: {
                queryParams: { type: 'object', properties: { lang: { type: 'string' } }, required: ['lang'] },
                body: { type: 'object', properties: { text: { type: 'string' } } },
              },
            },
          },
        },
      },
    );
    const agent = await stage.searcher();
    await agent.pay({
      resourceId: id,
      input: { town: 'São Brás?', id: 7, lang: 'pt', text: 'y', more: true },
    });
    expect(seller.visits[0]!.path).toBe('/towns/S%C3%A3o%20Br%C3%A1s%3F/reports/7?lang=pt');
    expect(seller.visits[0]!.body.toString()).toBe('{"text":"y","more":true}');

    const { structured } = await agent.search(`word${seller.origin.split(':').at(-1)}`);
    expect(structured.resources[0].input).toEqual({
      method: 'PUT',
      bodyType: 'json',
      example: { town: 'Faro', id: '1', text: 'x' },
      schema: {
        type: 'object',
        properties: {
          town: { type: 'string' },
          id: { type: 'string' },
          lang: { type: 'string' },
          text: { type: 'string' },
        },
        required: ['town', 'id', 'lang'],
      },
    });
  });

  test('a text body is shown and taken as {"text": …}, or as any one text', async () => {
    const seller = await openSeller(stage, free);
    const id = await listed(seller, '/say', { method: 'POST', bodyType: 'text', body: 'hello' });
    const agent = await stage.searcher();
    const { structured } = await agent.search(`word${seller.origin.split(':').at(-1)}`);
    expect(structured.resources[0].input).toMatchObject({ bodyType: 'text', example: { text: 'hello' } });
    for (const input of [undefined, { text: 'hello' }, { message: 'hello' }, 'hello'])
      expect((await agent.pay({ resourceId: id, ...(input && { input }) })).structured.result).toEqual({
        got: 'hello',
      });
    expect((await agent.pay({ resourceId: id, input: { a: '1', b: '2' } })).structured).toMatchObject({
      errorCode: 'svc_mcp_invalid_arguments',
    });
  });

  test.each([
    ['is missing', {}, /needs values.*“town”/],
    ['is no scalar', { town: ['Faro'] }, /needs values.*“town”/],
    ['is empty', { town: '' }, /“town” is part of the path/],
    ['climbs', { town: '..' }, /“town” is part of the path/],
    ['has a slash', { town: 'a/../../admin' }, /“town” is part of the path/],
    ['has a backslash', { town: '..\\admin' }, /“town” is part of the path/],
    ['has a line break', { town: 'a\nb' }, /“town” is part of the path/],
  ])('nothing is sent where a parameter of the path %s', async (_name, input, reason) => {
    const seller = await openSeller(stage, free);
    const id = await listed(
      seller,
      '/towns/:town',
      { method: 'GET', pathParams: { town: 'Faro' } },
      { routeTemplate: '/towns/:town' },
    );
    const { structured } = await (await stage.searcher()).pay({ resourceId: id, input });
    expect(structured).toMatchObject({
      errorCode: 'svc_mcp_invalid_arguments',
      reason: expect.stringMatching(reason),
    });
    expect(seller.visits).toEqual([]);
  });

  test('a value of the path stays one value, whatever it is', async () => {
    const seller = await openSeller(stage, free);
    const id = await listed(
      seller,
      '/towns/:town',
      { method: 'GET', pathParams: { town: 'Faro' } },
      { routeTemplate: '/towns/:town' },
    );
    const agent = await stage.searcher();
    for (const town of ['%2e%2e', '%2F', 'a?b#c', ':town', '$&', '.a']) {
      await agent.pay({ resourceId: id, input: { town } });
      const { path } = seller.visits.at(-1)!;
      expect(decodeURIComponent(path.slice('/towns/'.length))).toBe(town);
    }
  });

  test('pays what the live 402 asks, not what the catalog says', async () => {
    const seller = await openSeller(stage, undefined, { amount: '300000' });
    const id = await listed(seller, '/weather', { method: 'GET' });
    const buyer = await stage.buyer();
    expect((await buyer.pay({ resourceId: id })).structured).toMatchObject({
      paid: true,
      payment: { amount: '300000' },
    });
    expect(buyer.spent()).toBe(300_000n);
  });
});
