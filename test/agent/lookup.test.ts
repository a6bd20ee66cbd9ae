import { describe, expect, onTestFinished, test } from 'vitest';
import { createFacilitator } from '../../src/agent/catalog/facilitator.ts';
import { createLookup } from '../../src/agent/catalog/lookup.ts';
import { reachOfListings } from '../../src/net/reach.ts';
import { createTargetHttp } from '../../src/agent/http/fetch.ts';
import { AGENT_LIMITS } from '../../src/agent/limits.ts';
import { resolveTarget } from '../../src/agent/target/resolve.ts';
import { openAgent } from './support/agent.ts';
import { openHttpServer } from './support/httpServer.ts';
import { openSeller } from './support/seller.ts';
import { useAgentStage } from './support/stage.ts';

const stage = useAgentStage();

describe('an id is looked up in the live catalog', () => {
  test.each([
    ['an id that is none', 'svc1:nonsense'],
    ['an id that no listing has', 'svc1:WyJodHRwIiwiaHR0cHM6Ly9hcGkuZXhhbXBsZS5jb20vd2VhdGhlciIsIiJd'],
    ['an id in capitals', 'SVC1:WyJodHRwIiwiaHR0cHM6Ly9hcGkuZXhhbXBsZS5jb20vd2VhdGhlciIsIiJd'],
  ])('%s is svc_mcp_unknown_resource_id, and nothing is paid', async (_name, resourceId) => {
    const { structured } = await (await stage.buyer()).pay({ resourceId });
    expect(structured).toEqual({
      errorCode: 'svc_mcp_unknown_resource_id',
      reason: expect.stringContaining('Nothing was paid'),
    });
  });

  test('a facilitator that does not answer is told as that', async () => {
    const { structured } = await (
      await openAgent({ FACILITATOR_URL: 'http://127.0.0.1:1' })
    ).pay({
      resourceId: 'svc1:WyJodHRwIiwiaHR0cHM6Ly9hcGkuZXhhbXBsZS5jb20vd2VhdGhlciIsIiJd',
    });
    expect(structured).toMatchObject({ errorCode: 'svc_mcp_facilitator_unreachable' });
  });

  /** A catalog of many listings, of which one leads to the seller. */
  async function openLargeCatalog(
    total: number,
    place: number,
    resource: string,
    { isFiltered = false } = {},
  ) {
    const listing = {
      type: 'http',
      resource,
      accepts: [stage.terms()],
      extensions: { bazaar: { info: { input: { type: 'http', method: 'GET' } } } },
    };
    const requests: URLSearchParams[] = [];
    const url = await openHttpServer((request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '', 'http://facilitator');
      requests.push(searchParams);
      if (pathname === '/discovery/search')
        return void response.end(JSON.stringify({ resources: [listing], pagination: { cursor: null } }));
      if (isFiltered) {
        const items = searchParams.get('resource') === resource ? [listing] : [];
        return void response.end(JSON.stringify({ items, pagination: { total: items.length } }));
      }
      const isOwn = searchParams.has('payTo');
      const [offset, limit] = [Number(searchParams.get('offset')), Number(searchParams.get('limit'))];
      const items = Array.from(
        { length: isOwn ? 1 : Math.max(0, Math.min(limit, total - offset)) },
        (_, index) =>
          isOwn || offset + index === place
            ? listing
            : { ...listing, resource: `https://other.example/${offset + index}` },
      );
      response.end(JSON.stringify({ items, pagination: { limit, offset, total: isOwn ? 1 : total } }));
    });
    return { url, requests };
  }

  test('among thousands, also as the last of them', async () => {
    const seller = await openSeller(stage, (visit) => visit.deliver());
    const { url, requests } = await openLargeCatalog(2_501, 2_500, seller.url);
    const agent = await openAgent({ FACILITATOR_URL: url });
    const id = `svc1:${Buffer.from(JSON.stringify(['http', seller.url, ''])).toString('base64url')}`;
    expect((await agent.pay({ resourceId: id })).structured).toMatchObject({ paid: false, status: 200 });
    expect(requests).toHaveLength(26);
  });

  test('at once where a search has shown it', async () => {
    const seller = await openSeller(stage, (visit) => visit.deliver());
    const { url, requests } = await openLargeCatalog(1_000_000, 999_999, seller.url);
    const agent = await openAgent({ FACILITATOR_URL: url });
    const { structured } = await agent.search('weather');
    expect((await agent.pay({ resourceId: structured.resources[0].id })).structured).toMatchObject({
      status: 200,
    });
    expect(requests).toHaveLength(2);
  });

  test('with one request, where the facilitator looks for its URL', async () => {
    const seller = await openSeller(stage, (visit) => visit.deliver());
    const { url, requests } = await openLargeCatalog(1_000_000, 999_999, seller.url, { isFiltered: true });
    const agent = await openAgent({ FACILITATOR_URL: url });
    const idOf = (resource: string): string =>
      `svc1:${Buffer.from(JSON.stringify(['http', resource, ''])).toString('base64url')}`;
    expect((await agent.pay({ resourceId: idOf(seller.url) })).structured).toMatchObject({ status: 200 });
    expect(requests).toHaveLength(1);
    expect((await agent.pay({ resourceId: idOf(`${seller.url}/other`) })).structured).toMatchObject({
      errorCode: 'svc_mcp_unknown_resource_id',
    });
    expect(requests).toHaveLength(2);
  });

  test('within bounds, which it says, where nothing is known of it', async () => {
    const { url, requests } = await openLargeCatalog(1_000_000, 999_999, 'https://far.example/');
    const agent = await openAgent({ FACILITATOR_URL: url });
    const id = `svc1:${Buffer.from(JSON.stringify(['http', 'https://far.example/', ''])).toString('base64url')}`;
    expect((await agent.pay({ resourceId: id })).structured).toEqual({
      errorCode: 'svc_mcp_unknown_resource_id',
      reason: expect.stringContaining('Search for it first'),
    });
    expect(requests.length).toBeLessThanOrEqual(AGENT_LIMITS.maxPages + AGENT_LIMITS.pagesAtOnce);
  });
});

test('a public catalog does not lead to addresses of this machine', async () => {
  const resource = 'http://127.0.0.1:2/';
  const listing = { type: 'http', resource, accepts: [], extensions: {} };
  const catalog = await openHttpServer(
    (_request, response) => void response.end(JSON.stringify({ items: [listing], pagination: { total: 1 } })),
  );
  const limits = AGENT_LIMITS;
  const http = createTargetHttp(limits);
  const facilitator = createFacilitator({ baseUrl: catalog, limits });
  onTestFinished(async () => void (await Promise.all([http.close(), facilitator.close()])));
  const paidIn = { network: 'stellar:testnet', allowedAssets: [] } as const;
  const lookup = createLookup({ facilitator, paidIn, limits });
  const resourceId = `svc1:${Buffer.from(JSON.stringify(['http', resource, ''])).toString('base64url')}`;
  const answer = async (facilitatorUrl: string) => {
    const target = await resolveTarget(
      {
        ...{ lookup, fetch: http.fetch, allowedHosts: undefined, limits },
        listingReach: reachOfListings(facilitatorUrl, limits),
      },
      { resourceId },
    );
    return 'exchange' in target ? target.exchange.ask(limits.probeTimeoutMs) : target;
  };
  expect(await answer('http://8.8.8.8')).toMatchObject({
    failure: { message: expect.stringContaining('private network') },
  });
  expect(await answer('http://localhost:4021')).toMatchObject({
    failure: { message: expect.stringContaining('refused') },
  });
});
