import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { HTTP_LIMITS } from '../../src/http/limits.ts';
import { JSON_TYPE, payment, startService } from './support.ts';

const PLACES_HERE = 8;
const places = { ...HTTP_LIMITS.places, verifyPayment: { inAll: PLACES_HERE, perCaller: PLACES_HERE } };
const WORK_MS = 100;
const WARM_UP_MS = 300;
const PHASE_MS = 1_000;
/** A quiet machine reaches 0.8 or more; a busy one has less time for the load and the service. */
const SHARE = 0.5;

test('under ten times the load that can be served, verify does not collapse', async () => {
  const { port } = await startService({ verify: () => sleep(WORK_MS, { isValid: true }) }, {}, { places });
  const text = JSON.stringify(payment);

  /** Good and refused answers while so many callers ask, each again as soon as the work would have been done. */
  async function load(callers: number, forMs = PHASE_MS): Promise<{ good: number; refused: number }> {
    const agent = new Agent({ keepAlive: true });
    const verify = (): Promise<number | undefined> => {
      const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
      const options = { port, agent, path: '/verify', method: 'POST', headers: JSON_TYPE };
      request(options, (answer) => answer.resume().once('end', () => resolve(answer.statusCode)))
        .once('error', reject)
        .end(text);
      return promise;
    };
    const came = { good: 0, refused: 0 };
    const until = performance.now() + forMs;
    const call = async (): Promise<void> => {
      while (performance.now() < until) {
        const status = await verify();
        if (status === 200) came.good += 1;
        else came.refused += 1;
        if (status !== 200) await sleep(WORK_MS);
      }
    };
    await Promise.all(Array.from({ length: callers }, call));
    agent.destroy();
    return came;
  }

  await load(PLACES_HERE, WARM_UP_MS);
  const capacity = await load(PLACES_HERE);
  const overload = await load(10 * PLACES_HERE);
  console.info(
    `served ${capacity.good} at capacity; ${overload.good} and ${overload.refused} refused beyond`,
  );
  expect(capacity.refused).toBe(0);
  expect(overload.refused).toBeGreaterThan(overload.good);
  expect(overload.good).toBeGreaterThanOrEqual(SHARE * capacity.good);
});
