/**
 * Calls by chance, to sellers of every kind, through an RPC that fails by chance: what the results say that was paid
 * is what the wallets paid. For more, or for the same again:
 * MCP_FAULT_CALLS=1000 MCP_FAULT_SEED=… npx vitest run test/agent/faults.test.ts
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Fault } from '../../sandbox/faults.ts';
import { createRandom, type Random } from '../catalog/random.ts';
import { sample } from '../support/sample.ts';
import type { ToolAnswer } from './support/agent.ts';
import { MISCHIEF, TOOL_MISCHIEF } from './support/mischief.ts';
import { openSeller } from './support/seller.ts';
import { useAgentStage, type Buyer } from './support/stage.ts';
import { openToolServer, TOOL } from './support/toolServer.ts';

const CALLS = Number(process.env['MCP_FAULT_CALLS'] ?? sample(50, 200));
const SEED = Number(process.env['MCP_FAULT_SEED'] ?? 20_261_121);
const BUYERS = 8;
const USDC = 1_000_000_000n;
/** What a call may be repeated until its end is known. */
const MAX_REPEATS = 10;
const MS_PER_CALL = 2_000;

const stage = useAgentStage();

/** What a call does, drawn in the order of the calls. */
interface Plan {
  buyer: number;
  args: object;
  kind: string;
  amount: bigint;
  /** The host gives it up so long after its start. */
  givenUpAfterMs: number | undefined;
  fault: Fault | undefined;
}

const RPC_FAULTS: ((random: Random) => Fault)[] = [
  () => ({ kind: 'lostAnswer' }),
  () => ({ kind: 'wrongJson' }),
  () => ({ kind: 'wrongId' }),
  () => ({ kind: 'httpStatus', status: 503 }),
  () => ({ kind: 'rpcError', code: -32_603, message: 'internal error' }),
  () => ({ kind: 'notFound' }),
  (random) => ({ kind: 'staleLedger', ledgers: 1 + random.below(5) }),
  (random) => ({ kind: 'delay', ms: random.below(500) }),
];
const STRUCK = ['simulateTransaction', 'getLedgerEntries', 'getTransaction', 'getEvents'];

function draw(random: Random, sellers: { http: string; tool: string }, call: number): Plan {
  const isTool = random.next() < 0.3;
  const kind = random.pick(Object.keys(isTool ? TOOL_MISCHIEF : MISCHIEF));
  const input = { call, kind };
  const fault = random.next() < 0.3 ? random.pick(RPC_FAULTS)(random) : undefined;
  if (fault) Object.assign(fault, { times: 1 + random.below(3), methods: [random.pick(STRUCK)] });
  return {
    buyer: random.below(BUYERS),
    args: isTool ? { url: sellers.tool, toolName: TOOL, input } : { url: sellers.http, input },
    kind,
    amount: BigInt(1 + random.below(1_000)),
    givenUpAfterMs: random.next() < 0.1 ? random.below(800) : undefined,
    fault,
  };
}

test(
  `${CALLS} calls: the wallets paid what the results say (seed ${SEED})`,
  { timeout: 60_000 + CALLS * MS_PER_CALL },
  async () => {
    Object.assign(stage.limits, { refusedFollowMs: 1_000, answerWithinMs: 8_000, minToPayMs: 0 });
    const plans: Plan[] = [];
    // Whoever comes a second time for the same call is served honestly, so that every call has an end.
    const paidFor = new Set<number>();
    const kindOf = (call: number, payment: unknown): string => {
      const isAgain = paidFor.has(call);
      if (payment !== undefined) paidFor.add(call);
      return isAgain ? 'honest' : plans[call]!.kind;
    };
    const http = await openSeller(stage, (visit) => {
      const call = Number(new URL(visit.path, 'http://seller').searchParams.get('call'));
      const accepts = [stage.terms({ amount: String(plans[call]!.amount) })];
      const askToPay = (required: object = {}) => visit.askToPay({ accepts, ...required });
      return MISCHIEF[kindOf(call, visit.payment)]!({ ...visit, askToPay });
    });
    const tool = await openToolServer(stage, (visit) => {
      const call = Number(visit.input['call']);
      const accepts = [stage.terms({ amount: String(plans[call]!.amount) })];
      const askToPay: typeof visit.askToPay = ({ required = {}, ...how } = {}) =>
        visit.askToPay({ ...how, required: { accepts, ...required } });
      return TOOL_MISCHIEF[kindOf(call, visit.payment)]!({ ...visit, askToPay });
    });
    const random = createRandom(SEED);
    for (let call = 0; call < CALLS; call += 1)
      plans.push(draw(random, { http: http.url, tool: tool.url }, call));
    const buyers = await Promise.all(Array.from({ length: BUYERS }, () => stage.buyer({}, { usdc: USDC })));

    /** Makes the call, and again until its end is certain; all that the results said. */
    async function perform({ buyer, args, fault, givenUpAfterMs }: Plan): Promise<ToolAnswer[]> {
      if (fault) stage.sandbox.faults.add(fault);
      const answers: ToolAnswer[] = [];
      if (givenUpAfterMs !== undefined) {
        const given = new AbortController();
        const call = buyers[buyer]!.pay(args, { signal: given.signal, timeout: 120_000 });
        void sleep(givenUpAfterMs, undefined, { ref: false }).then(() => given.abort());
        const answer = await call.catch(() => undefined);
        if (answer) answers.push(answer);
      }
      for (let repeat = 0; answers.length === 0 || isOpen(answers.at(-1)!); repeat += 1) {
        if (repeat === MAX_REPEATS)
          throw new Error(`no certain end: ${JSON.stringify(answers.at(-1)?.structured)}`);
        answers.push(await buyers[buyer]!.pay(args, { timeout: 120_000 }));
      }
      return answers;
    }

    const said = new Map<Buyer, ToolAnswer[]>(buyers.map((buyer) => [buyer, []]));
    const ends: Record<string, Record<string, number>> = {};
    let next = 0;
    const work = async (): Promise<void> => {
      for (let plan = plans[next++]; plan !== undefined; plan = plans[next++]) {
        const answers = await perform(plan);
        said.get(buyers[plan.buyer]!)!.push(...answers);
        const { structured } = answers.at(-1)!;
        const end = `${structured.payment?.status ?? 'no payment'}, ${structured.errorCode ?? 'ok'}`;
        const ofKind = (ends[plan.kind] ??= {});
        ofKind[end] = (ofKind[end] ?? 0) + 1;
      }
    };
    await Promise.all(Array.from({ length: BUYERS * 2 }, work));
    console.log(`seed ${SEED}: how the calls ended, by what their seller does`, ends);

    for (const [buyer, answers] of said)
      expect(buyer.spent(), `of ${buyer.address}`).toBe(settledIn(answers));
    expect(Object.keys(ends).length).toBeGreaterThan(10);
  },
);

/** A payment whose end the result does not know, and that has no receipt either. */
function isOpen({ structured: { payment, receipt } }: ToolAnswer): boolean {
  return payment?.status === 'unknown' && !receipt;
}

/** Each payment once: the same one may be told twice, before its target has answered and after. */
function settledIn(answers: readonly ToolAnswer[]): bigint {
  const settled = new Map<string, bigint>();
  for (const [index, { structured }] of answers.entries()) {
    const { payment, receipt } = structured;
    if (payment === undefined || payment.status === 'notSettled') continue;
    if (payment.status === 'unknown' && !receipt) continue;
    // Given on unchecked, since the ledger did not answer then; it does now.
    if (payment.status === 'unknown') expectOnLedger(receipt.transaction);
    settled.set(payment.transaction ?? receipt?.transaction ?? `unnamed ${index}`, BigInt(payment.amount));
  }
  return [...settled.values()].reduce((sum, amount) => sum + amount, 0n);
}

function expectOnLedger(hash: string): void {
  const answer = stage.sandbox.network.rpc('getTransaction', { hash });
  expect(answer).toMatchObject({ result: { status: 'SUCCESS' } });
}
