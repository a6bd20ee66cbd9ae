import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { ask } from '../../bench/attack/ask.ts';
import type { SettleResponse } from '../../src/contract/index.ts';
import { temporaryFolder } from '../catalog/temporaryFolder.ts';
import { startService, type ServiceProcess } from '../kill/process.ts';
import { MAX_TIMEOUT_SECONDS, requestFor, requirementsFor, signTransfer } from '../support/payments.ts';
import { openSandbox, type TestSandbox } from '../support/sandbox.ts';

/** What the documents say: stroops per day that callers without a key can burn with SERVING=strangers. */
const MOST_STROOPS = 50_000_000;
const SUBMITTERS = 60;
/** Settlements that are asked for at a time. */
const ATTACKERS = 60;
/** Each address asks for so many: fewer than its limits allow. */
const PAYMENTS_PER_ADDRESS = 10;
/** The flood ends once so many requests in a row were refused for lack of budget. */
const REFUSALS = 300;
/** The process is killed after so many settlements. */
const KILLS_AFTER = [300, 900, 1_500];
const PATIENCE_MS = 100_000;
const TIMEOUT_MS = 900_000;

interface Answer {
  readonly status: number;
  readonly body: SettleResponse;
}

/** Settles from an address of this machine. Undefined if the service is gone. */
async function settle(url: string, payment: object, localAddress: string): Promise<Answer | undefined> {
  const options = { port: Number(new URL(url).port), patienceMs: PATIENCE_MS, localAddress };
  const question = { path: '/settle', body: JSON.stringify(payment) };
  const heard = await ask(question, options).catch(() => undefined);
  return heard && { status: heard.status, body: JSON.parse(heard.text) as SettleResponse };
}

const addressOf = (nth: number): string => `127.1.${(nth >> 8) & 255}.${nth & 255 || 1}`;

/** A payment that costs its sender nothing: the money goes to another account of the same owner. */
function newPayment(sandbox: TestSandbox): object {
  const key = sandbox.account();
  const requirements = requirementsFor(sandbox.account(0n).publicKey());
  const expiration = sandbox.expirationIn(MAX_TIMEOUT_SECONDS);
  return requestFor(requirements, signTransfer({ key, requirements, expiration, nonce: sandbox.nonce() }));
}

test(
  `with SERVING=strangers, callers without a key burn at most ${MOST_STROOPS} stroops a day, through kills and restarts`,
  { timeout: TIMEOUT_MS },
  async () => {
    const sandbox = await openSandbox();
    onTestFinished(() => sandbox.close());
    const submitters = Array.from({ length: SUBMITTERS }, () => sandbox.submitter());
    const lumens = (): bigint => submitters.reduce((sum, key) => sum + sandbox.native(key.publicKey()), 0n);
    const before = lumens();
    const env = {
      SERVING: 'strangers',
      RPC_URL: sandbox.url,
      DB_PATH: join(temporaryFolder(), 'catalog.db'),
      SUBMITTER_SECRET: submitters.map((key) => key.secret()).join(),
    };
    let service: ServiceProcess = startService(env);
    onTestFinished(() => service.kill('SIGKILL'));
    let [asked, settled, refusals, kills] = [0, 0, 0, 0];

    async function killOnce(): Promise<void> {
      kills += 1;
      service.kill('SIGKILL');
      await service.ended;
      service = startService(env);
    }

    async function attack(): Promise<void> {
      while (refusals < REFUSALS) {
        const address = addressOf(Math.floor(asked++ / PAYMENTS_PER_ADDRESS));
        const answer = await settle(await service.url, newPayment(sandbox), address);
        if (answer === undefined) {
          await sleep(20);
          continue;
        }
        const isExhausted = answer.body.errorReason === 'svc_fee_budget_exhausted';
        if (isExhausted) expect(answer.status).toBe(429);
        refusals = isExhausted ? refusals + 1 : 0;
        if (answer.body.success) settled += 1;
        if (settled >= (KILLS_AFTER[kills] ?? Infinity)) await killOnce();
      }
    }

    await Promise.all(Array.from({ length: ATTACKERS }, attack));
    const burnt = Number(before - lumens());
    console.log(`${asked} requests, ${settled} settled, ${kills} kills: ${burnt} stroops burnt`);
    expect(kills).toBe(KILLS_AFTER.length);
    expect(burnt).toBeLessThanOrEqual(MOST_STROOPS);
    // The last settlements had reserved more than they were charged when the flood ended.
    expect(burnt).toBeGreaterThan(0.95 * MOST_STROOPS);
  },
);
