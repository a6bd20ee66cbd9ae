import { describe, expect, test } from 'vitest';
import { AMOUNT } from '../support/payments.ts';
import { spawnAgent } from './support/agent.ts';
import { openSeller, type Seller } from './support/seller.ts';
import { newWallet, paidBy, useAgentStage } from './support/stage.ts';
import { gate } from './support/waiting.ts';

const stage = useAgentStage();

/** A free resource that answers once it is let, and an agent that makes one call of it at a time. */
async function oneAtATime(maxCallsWaiting: number) {
  Object.assign(stage.limits, { maxCallsAtOnce: 1, maxCallsWaiting });
  const { opened, open } = gate();
  const seller = await openSeller(stage, async (visit) => {
    await opened;
    visit.deliver();
  });
  const agent = await stage.searcher();
  const call = (n: number, options?: { signal: AbortSignal }) =>
    agent.pay({ url: seller.url, input: { n } }, options);
  const first = call(0);
  await expect.poll(() => seller.visits.length).toBe(1);
  return { agent, seller, call, first, open };
}

const visited = ({ visits }: Seller): string[] => visits.map(({ path }) => path.split('=')[1]!);
const busy = (reason: RegExp) => ({
  isError: true,
  structured: { errorCode: 'svc_mcp_busy', reason: expect.stringMatching(reason) },
});

test('50 paid calls at once over stdio are all paid, and the wallet has paid what was told', async () => {
  // Four accounts of the facilitator settle them: the last of them waits for long.
  const seller = await openSeller(stage, undefined, { maxTimeoutSeconds: 120 });
  const { key, environment } = newWallet(stage);
  const agent = await spawnAgent(environment);
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, n) => agent.pay({ url: seller.url, input: { n } })),
  );
  expect(answers.filter(({ isError }) => isError)).toEqual([]);
  expect(paidBy(answers)).toBe(50n * AMOUNT);
  expect(stage.sandbox.usdc(key.publicKey())).toBe(10_000_000n - 50n * AMOUNT);
});

describe('a call that waits for its turn', () => {
  test('is made in the order of arrival', async () => {
    const { seller, call, first, open } = await oneAtATime(5);
    const others = [1, 2, 3, 4, 5].map((n) => call(n));
    open();
    for (const { isError } of await Promise.all([first, ...others])) expect(isError).toBe(false);
    expect(visited(seller)).toEqual(['0', '1', '2', '3', '4', '5']);
  });

  test('is refused as svc_mcp_busy if too many wait already', async () => {
    const { seller, call, first, open } = await oneAtATime(1);
    const second = call(1);
    await expect(call(2)).resolves.toMatchObject(busy(/1 wait for their turn. Nothing was paid\.$/));
    open();
    for (const { isError } of await Promise.all([first, second])) expect(isError).toBe(false);
    expect(visited(seller)).toEqual(['0', '1']);
  });

  test('leaves the line when its host gives it up, and is never made', async () => {
    const { seller, call, first, open } = await oneAtATime(2);
    const given = new AbortController();
    const givenUp = call(1, { signal: given.signal });
    const kept = call(2);
    given.abort();
    await expect(givenUp).rejects.toThrow();
    const last = call(3);
    open();
    for (const { isError } of await Promise.all([first, kept, last])) expect(isError).toBe(false);
    expect(visited(seller)).toEqual(['0', '2', '3']);
  });

  test('is refused as svc_mcp_busy once it could not pay in time any more', async () => {
    const { seller, call, open } = await oneAtATime(1);
    stage.limits.answerWithinMs = stage.limits.minToPayMs + 50;
    await expect(call(1)).resolves.toMatchObject(busy(/did not come in time. Nothing was paid\.$/));
    open();
    expect(visited(seller)).toEqual(['0']);
  });

  test('is refused, as any later one, when the server closes', async () => {
    const { agent, seller, call, first, open } = await oneAtATime(1);
    const waiting = call(1);
    const closed = agent.close();
    const late = call(2);
    const closing = {
      structured: {
        errorCode: 'svc_mcp_internal_error',
        reason: 'The server is closing. Nothing was paid.',
      },
    };
    await expect(waiting).resolves.toMatchObject(closing);
    await expect(late).resolves.toMatchObject(closing);
    open();
    expect((await first).isError).toBe(false);
    await closed;
    expect(visited(seller)).toEqual(['0']);
  });
});
