import { describe, expect, test } from 'vitest';
import { AMOUNT } from '../support/payments.ts';
import { DECLINING, spawnAgent, type Person } from './support/agent.ts';
import { formatResourceId } from '../../src/agent/resourceId.ts';
import { openHttpServer } from './support/httpServer.ts';
import { openSeller } from './support/seller.ts';
import { newWallet, useAgentStage } from './support/stage.ts';
import { openToolServer, TOOL } from './support/toolServer.ts';

const stage = useAgentStage();

/** Every payment needs approval. */
const ALWAYS = { SVC_MCP_APPROVE_ABOVE: '0', SVC_MCP_SESSION_BUDGET: '5000000' };

/** A person who answers in one way, and what they were asked. */
function person(answer: ReturnType<Person>): { person: Person; questions: string[] } {
  const questions: string[] = [];
  return {
    questions,
    person: (question) => {
      questions.push(question);
      return answer;
    },
  };
}
const yes = { action: 'accept', content: { approve: true } } as const;

const notApproved = (why: string) => ({
  errorCode: 'svc_mcp_payment_not_approved',
  reason: expect.stringMatching(`0\\.01 USDC.*${why}.*nothing was paid\\.$`),
});

describe('a payment above SVC_MCP_APPROVE_ABOVE', () => {
  test('is made over stdio once a person who knows seller, price and budget approves', async () => {
    const seller = await openSeller(stage);
    const { key, environment } = newWallet(stage);
    const asked = person(yes);
    const agent = await spawnAgent({ ...environment, ...ALWAYS }, asked.person);
    expect((await agent.pay({ url: `${seller.url}?name=trusted` })).structured).toMatchObject({ paid: true });
    await agent.pay({ url: seller.url });
    const question = (left: string): string =>
      `Pay 0.01 USDC (100000 base units) to ${stage.payTo} for ${seller.origin}? ${left} of the budget are left before this payment.`;
    expect(asked.questions).toEqual([
      question('0.5 USDC (5000000 base units)'),
      question('0.49 USDC (4900000 base units)'),
    ]);
    expect(stage.sandbox.usdc(key.publicKey())).toBe(10_000_000n - 2n * AMOUNT);
  });

  test('names the tool of an MCP server after all else, as a quotation', async () => {
    const server = await openToolServer(stage);
    const asked = person(yes);
    const buyer = await stage.buyer(ALWAYS, asked);
    expect((await buyer.pay({ url: server.url, toolName: TOOL })).structured).toMatchObject({ paid: true });
    expect(asked.questions).toEqual([
      expect.stringMatching(
        `^Pay .* for ${new URL(server.url).origin}\\? .* payment\\. The seller calls its tool “${TOOL}”\\.$`,
      ),
    ]);
  });

  test('says in its question and in its result if the listing is stale', async () => {
    const seller = await openSeller(stage);
    const stale = { reason: 'other_terms', since: '2026-11-23T08:00:00.000Z' };
    const listing = { type: 'http', resource: seller.url, accepts: [stage.terms()], stale };
    const FACILITATOR_URL = await openHttpServer(
      (_request, response) =>
        void response.end(JSON.stringify({ items: [listing], pagination: { total: 1 } })),
    );
    const asked = person(yes);
    const buyer = await stage.buyer({ ...ALWAYS, FACILITATOR_URL }, asked);
    const resourceId = formatResourceId({ type: 'http', resource: seller.url, toolName: '' });
    const found =
      "When the facilitator's operator last checked it, the resource asked for other terms than the listing shows.";
    expect((await buyer.pay({ resourceId })).structured).toMatchObject({
      paid: true,
      stale: { ...stale, text: found },
    });
    expect(asked.questions).toEqual([expect.stringMatching(`^Pay .* before this payment\\. ${found}$`)]);
    expect((await buyer.pay({ url: seller.url })).structured).not.toHaveProperty('stale');
  });

  test.each(DECLINING)('is not made if the person %s', async (_name, answer) => {
    const seller = await openSeller(stage);
    const buyer = await stage.buyer(ALWAYS, person(answer));
    expect((await buyer.pay({ url: seller.url })).structured).toEqual(notApproved('the person declined'));
    expect([seller.paid(), buyer.log]).toEqual([[], []]);
  });

  test('is not made if nobody answers in time', async () => {
    Object.assign(stage.limits, { answerWithinMs: 2_000, minToPayMs: 1_000 });
    const seller = await openSeller(stage);
    const buyer = await stage.buyer(ALWAYS, person(new Promise(() => {})));
    expect((await buyer.pay({ url: seller.url })).structured).toEqual(
      notApproved('nobody gave an answer in time'),
    );
    expect([seller.paid(), buyer.log]).toEqual([[], []]);
  });

  test.each<[string, ReturnType<Person>]>([
    ['nonsense', { action: 'accept', content: { approve: 'yes' } }],
    ['nothing that was asked', { action: 'accept' }],
  ])('is not made if the host answers %s', async (_name, answer) => {
    const seller = await openSeller(stage);
    const buyer = await stage.buyer(ALWAYS, person(answer));
    expect((await buyer.pay({ url: seller.url })).structured).toMatchObject({
      errorCode: 'svc_mcp_payment_not_approved',
    });
    expect([seller.paid(), buyer.log]).toEqual([[], []]);
  });

  test('is not made if the host cannot ask', async () => {
    const seller = await openSeller(stage);
    const buyer = await stage.buyer(ALWAYS);
    expect((await buyer.pay({ url: seller.url })).structured).toEqual(notApproved('the host cannot ask'));
    expect([seller.paid(), buyer.log]).toEqual([[], []]);
  });

  test('is made within the limits only, whatever the person says', async () => {
    const seller = await openSeller(stage);
    const asked = person(yes);
    const buyer = await stage.buyer({ ...ALWAYS, SVC_MCP_MAX_AMOUNT: '1' }, asked);
    expect((await buyer.pay({ url: seller.url })).structured).toMatchObject({
      errorCode: 'svc_mcp_payment_declined_by_policy',
    });
    expect([asked.questions, seller.paid()]).toEqual([[], []]);
  });
});

test('a payment of just SVC_MCP_APPROVE_ABOVE asks nobody', async () => {
  const seller = await openSeller(stage);
  const asked = person({ action: 'decline' });
  const buyer = await stage.buyer({ SVC_MCP_APPROVE_ABOVE: String(AMOUNT) }, asked);
  expect((await buyer.pay({ url: seller.url })).structured).toMatchObject({ paid: true });
  expect(asked.questions).toEqual([]);
});
