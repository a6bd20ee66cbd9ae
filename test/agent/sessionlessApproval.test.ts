import { describe, expect, test } from 'vitest';
import { createQuestions } from '../../src/agent/sessionless/questions.ts';
import { AMOUNT } from '../support/payments.ts';
import { DECLINING, type Person } from './support/agent.ts';
import { openHttpTools } from './support/httpTools.ts';
import { openSeller, openSlowSeller, sellHonestly, type Behaviour } from './support/seller.ts';
import { connectSessionless, payRaw, spawnSessionless } from './support/sessionless.ts';
import { newWallet, useAgentStage } from './support/stage.ts';

const stage = useAgentStage();

/** Every payment needs approval. */
const ALWAYS = { SVC_MCP_APPROVE_ABOVE: '0', SVC_MCP_SESSION_BUDGET: '5000000' };
const YES = { action: 'accept', content: { approve: true } } as const;
const answered = (result: unknown) => ({ inputResponses: { approval: result } });

async function openTools(limits: object = {}) {
  const { key, environment } = newWallet(stage);
  const { url } = await openHttpTools(
    { ...environment, ...ALWAYS },
    { limits: { ...stage.limits, ...limits } },
  );
  return { url, spent: () => 10_000_000n - stage.sandbox.usdc(key.publicKey()) };
}

/** Makes a call that asks. Returns its question, and what the host has to return with the answer. */
async function askedBy(url: string, args: object): Promise<{ requestState: string; message: string }> {
  const { resultType, inputRequests, requestState } = await payRaw(url, args);
  expect(resultType).toBe('input_required');
  expect(Object.keys(inputRequests)).toEqual(['approval']);
  return { requestState, message: inputRequests.approval.params.message };
}

const notApproved = (why: string) => ({
  errorCode: 'svc_mcp_payment_not_approved',
  reason: expect.stringMatching(`0\\.01 USDC.*${why}.*nothing was paid\\.$`),
});

describe('without sessions, a payment above SVC_MCP_APPROVE_ABOVE', () => {
  test.each(['HTTP', 'stdio'])(
    'is made over %s once a person who knows price and seller approves',
    async (way) => {
      const { key, environment } = newWallet(stage);
      const seller = await openSeller(stage);
      const questions: string[] = [];
      const person: Person = (question) => {
        questions.push(question);
        return YES;
      };
      const own = { ...environment, ...ALWAYS };
      const { client, pay } =
        way === 'stdio'
          ? await spawnSessionless(own, { person })
          : await connectSessionless((await openHttpTools(own, { limits: stage.limits })).url, { person });
      expect(client.getProtocolEra()).toBe('modern');
      expect((await pay({ url: seller.url })).structured).toMatchObject({ paid: true });
      expect((await pay({ url: seller.url })).structured).toMatchObject({ paid: true });
      const question = (left: string): string =>
        `Pay 0.01 USDC (100000 base units) to ${stage.payTo} for ${seller.origin}? ${left} of the budget are left before this payment.`;
      expect(questions).toEqual([
        question('0.5 USDC (5000000 base units)'),
        question('0.49 USDC (4900000 base units)'),
      ]);
      expect(stage.sandbox.usdc(key.publicKey())).toBe(10_000_000n - 2n * AMOUNT);
    },
  );

  test.each(DECLINING)('is not made if the person %s', async (_name, answer) => {
    const seller = await openSeller(stage);
    const { url, spent } = await openTools();
    const { pay } = await connectSessionless(url, { person: () => answer });
    expect((await pay({ url: seller.url })).structured).toEqual(notApproved('the person declined'));
    expect([seller.paid(), spent()]).toEqual([[], 0n]);
  });

  test.each([
    ['nothing', {}],
    ['only addresses of pages', { elicitation: { url: {} } }],
  ])('is not made if the host can show %s', async (_name, capabilities) => {
    const seller = await openSeller(stage);
    const { url, spent } = await openTools();
    const { structuredContent } = await payRaw(url, { url: seller.url }, { capabilities });
    expect(structuredContent).toEqual(notApproved('the host cannot ask'));
    expect([seller.paid(), spent()]).toEqual([[], 0n]);
  });

  test.each<[string, object, string]>([
    ['no answer', {}, 'nobody gave an answer'],
    ['an answer to something else', { inputResponses: { other: YES } }, 'nobody gave an answer'],
    [
      'an answer in a wrapper',
      answered({ method: 'elicitation/create', result: YES }),
      'nobody gave an answer',
    ],
    ['nonsense', answered({ action: 'accept', content: { approve: 'yes' } }), 'the person declined'],
    [
      'a filled form that was declined',
      answered({ action: 'decline', content: { approve: true } }),
      'the person declined',
    ],
    ['a bare yes', answered({ action: 'accept' }), 'the person declined'],
  ])('is not made if the host returns %s', async (_name, answer, why) => {
    const seller = await openSeller(stage);
    const { url, spent } = await openTools();
    const { requestState } = await askedBy(url, { url: seller.url });
    const { structuredContent } = await payRaw(url, { url: seller.url }, { requestState, ...answer });
    expect(structuredContent).toEqual(notApproved(why));
    expect([seller.paid(), spent()]).toEqual([[], 0n]);
  });

  test.each<[string, (state: string) => unknown]>([
    ['none', () => undefined],
    ['no text', () => ({ approved: true })],
    ['another text', () => 'approved'],
    ['a long text', () => 'x'.repeat(1_000_000)],
    ['a later end', (state) => state.replace(/\.\d+\./, '.99999999999.')],
    ['another question', (state) => state.replace(/^[^.]+/, '00000000-0000-4000-8000-000000000000')],
    ['another seal', (state) => state.replace(/[^.]+$/, 'A'.repeat(43))],
  ])('is not made if the host says yes to a question of its own: %s', async (_name, forge) => {
    const seller = await openSeller(stage);
    const { url, spent } = await openTools();
    const { requestState } = await askedBy(url, { url: seller.url });
    const forged = forge(requestState);
    const result = await payRaw(
      url,
      { url: seller.url },
      { ...answered(YES), ...(forged !== undefined && { requestState: forged }) },
    ).catch(() => undefined);
    expect(result?.structuredContent).toBeUndefined();
    expect([seller.paid(), spent()]).toEqual([[], 0n]);
  });

  test('is not made with the approval of another server', async () => {
    const seller = await openSeller(stage);
    const [one, other] = [await openTools(), await openTools()];
    const { requestState } = await askedBy(one.url, { url: seller.url });
    const result = await payRaw(other.url, { url: seller.url }, { requestState, ...answered(YES) });
    expect(result.resultType).toBe('input_required');
    expect([seller.paid(), other.spent()]).toEqual([[], 0n]);
  });

  test('is not made with the approval of another call, seller or tool', async () => {
    const [cheap, dear] = [await openSeller(stage), await openSeller(stage, undefined, { amount: '200000' })];
    const { url, spent } = await openTools();
    const { requestState } = await askedBy(url, { url: cheap.url });
    for (const args of [
      { url: dear.url },
      { url: `${cheap.url}?n=2` },
      { url: cheap.url, input: { a: '1' } },
    ]) {
      const result = await payRaw(url, args, { requestState, ...answered(YES) });
      expect(result.resultType).toBe('input_required');
    }
    expect([cheap.paid(), dear.paid(), spent()]).toEqual([[], [], 0n]);
    // It holds for its own call still, with the arguments in any order.
    const result = await payRaw(url, { url: cheap.url }, { requestState, ...answered(YES) });
    expect(result.structuredContent).toMatchObject({ paid: true });
  });

  test.each<[string, object]>([
    ['price', { amount: '150000' }],
    ['recipient', { payTo: 'other' }],
  ])('asks again if the seller now names another %s', async (_name, changes) => {
    const payTo = stage.sandbox.account().publicKey();
    const terms = stage.terms({ ...changes, ...('payTo' in changes && { payTo }) });
    let asked = 0;
    const rising: Behaviour = (visit) => visit.askToPay(++asked > 1 ? { accepts: [terms] } : {});
    const seller = await openSeller(stage, (visit) =>
      visit.payment === undefined ? rising(visit) : sellHonestly(visit),
    );
    const { url, spent } = await openTools();
    const first = await askedBy(url, { url: seller.url });
    const again = await payRaw(
      url,
      { url: seller.url },
      { requestState: first.requestState, ...answered(YES) },
    );
    expect(again.resultType).toBe('input_required');
    expect(again.inputRequests.approval.params.message).not.toBe(first.message);
    expect([seller.paid(), spent()]).toEqual([[], 0n]);
  });

  test('is made once for one approval, also if it comes twice at once', async () => {
    const seller = await openSeller(stage);
    const { url, spent } = await openTools();
    const { requestState } = await askedBy(url, { url: seller.url });
    const approved = () => payRaw(url, { url: seller.url }, { requestState, ...answered(YES) });
    const both = await Promise.all([approved(), approved()]);
    expect(both.filter(({ structuredContent }) => structuredContent?.paid === true)).toHaveLength(1);
    expect(both.filter(({ resultType }) => resultType === 'input_required')).toHaveLength(1);
    expect((await approved()).resultType).toBe('input_required');
    expect(spent()).toBe(AMOUNT);
  });

  test('is not made after the person has declined, whatever the host says then', async () => {
    const seller = await openSeller(stage);
    const { url, spent } = await openTools();
    const { requestState } = await askedBy(url, { url: seller.url });
    await payRaw(url, { url: seller.url }, { requestState, ...answered({ action: 'decline' }) });
    const again = await payRaw(url, { url: seller.url }, { requestState, ...answered(YES) });
    expect(again.resultType).toBe('input_required');
    expect([seller.paid(), spent()]).toEqual([[], 0n]);
  });

  test('is not made if the approval comes too late', async () => {
    const seller = await openSeller(stage);
    const { url, spent } = await openTools({ questionForMs: 0 });
    const { requestState } = await askedBy(url, { url: seller.url });
    const result = await payRaw(url, { url: seller.url }, { requestState, ...answered(YES) });
    expect(result.resultType).toBe('input_required');
    expect([seller.paid(), spent()]).toEqual([[], 0n]);
  });

  test('is not asked about while so many answers are remembered that another could not count', async () => {
    const seller = await openSeller(stage);
    const { url, spent } = await openTools({ maxAnsweredQuestions: 1 });
    const [one, other] = [await askedBy(url, { url: seller.url }), await askedBy(url, { url: seller.url })];
    const decline = { requestState: one.requestState, ...answered({ action: 'decline' }) };
    expect((await payRaw(url, { url: seller.url }, decline)).structuredContent).toEqual(
      notApproved('the person declined'),
    );
    for (const answer of [{}, { requestState: other.requestState, ...answered(YES) }]) {
      const { structuredContent } = await payRaw(url, { url: seller.url }, answer);
      expect(structuredContent).toEqual(notApproved('answered too many questions'));
    }
    expect([seller.paid(), spent()]).toEqual([[], 0n]);
  });

  test('is asked about again once the answers are too old to be remembered', async () => {
    let now = 0;
    const limits = { questionForMs: 100, maxAnsweredQuestions: 1 };
    const questions = createQuestions({ now: () => now, limits });
    expect(questions.take(questions.ask('a')!, 'a')).toBe(true);
    expect(questions.ask('b')).toBeUndefined();
    now = 100;
    expect(questions.take(questions.ask('b')!, 'b')).toBe(true);
  });

  test('that was approved and not told is told by the same call without another question', async () => {
    const { seller, open } = await openSlowSeller(stage);
    const { url, spent } = await openTools();
    let questions = 0;
    const host = await connectSessionless(url, {
      person() {
        questions += 1;
        return YES;
      },
    });
    void host.pay({ url: seller.url }).catch(() => {});
    await expect.poll(() => seller.paid().length).toBe(1);
    host.hangUp();
    await host.client.listTools();
    open();
    expect((await host.pay({ url: seller.url })).structured).toMatchObject({
      paid: true,
      fromEarlierCall: true,
    });
    expect([questions, spent()]).toEqual([1, AMOUNT]);
  });
});
