import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createHandlers } from '../../src/handlers/index.ts';
import { createApp } from '../../src/http/app.ts';
import { CONNECTIONS_LIMIT, PLACES } from '../../src/http/limits.ts';
import { createPlaces } from '../../src/http/places.ts';
import { createServer } from '../../src/http/server.ts';
import { createLog } from '../../src/log.ts';
import { catalogDouble } from '../support/catalogDouble.ts';
import { config, JSON_TYPE, payment, standInScheme } from './support.ts';

test('an operation has so many places, an address some of them; one that is given back is free again', () => {
  const places = createPlaces({ ...PLACES, verifyPayment: { inAll: 3, perAddress: 2 } });
  const take = (address: string) => places.take('verifyPayment', address);
  const [first, second] = [take('greedy'), take('greedy')];
  expect(take('greedy')).toBeNull();
  expect(take('modest')).not.toBeNull();
  expect(take('late')).toBeNull();
  first!();
  first!();
  expect(take('late')).not.toBeNull();
  expect(take('modest')).toBeNull();
  second!();
  expect(take('greedy')).not.toBeNull();
});

test('operations have their places each; the others always have room', () => {
  const places = createPlaces({ ...PLACES, verifyPayment: { inAll: 0, perAddress: 0 } });
  expect(places.take('verifyPayment', 'any')).toBeNull();
  for (let i = 0; i < 2_000; i += 1) expect(places.take('getHealth', 'any')).not.toBeNull();
  expect(places.take('settlePayment', 'any')).not.toBeNull();
});

test('whatever is worked on leaves connections to ask for something else', () => {
  const sum = (of: 'inAll' | 'perAddress') => Object.values(PLACES).reduce((all, { [of]: n }) => all + n, 0);
  expect(sum('inAll')).toBeLessThan(CONNECTIONS_LIMIT.inAll);
  expect(sum('perAddress')).toBeLessThan(CONNECTIONS_LIMIT.perAddress);
});

const PLACES_HERE = 8;
const WORK_MS = 50;
const PHASE_MS = 1_500;

test('under ten times the load that can be served, four fifths of what can be served are served', async () => {
  const scheme = standInScheme({ verify: () => sleep(WORK_MS, { isValid: true }) });
  const log = createLog([], { write: () => {} });
  const journal = { listed: () => {}, closedAtSeconds: () => undefined, dueListing: () => undefined };
  const deps = {
    scheme,
    catalog: catalogDouble(),
    journal,
    pendingListings: { listLater: () => {} },
    config,
  };
  const handlers = createHandlers({ ...deps, boundPort: () => 0 });
  const limit = { inAll: PLACES_HERE, perAddress: PLACES_HERE };
  const places = createPlaces({ ...PLACES, verifyPayment: limit });
  const server = createServer(await createApp({ handlers, network: config.network, log, places }), log);
  const port = await server.listen(0);
  const text = JSON.stringify(payment);

  /** Good and refused answers while so many callers ask, each again as soon as the work would have been done. */
  async function load(callers: number): Promise<{ good: number; refused: number }> {
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
    const until = performance.now() + PHASE_MS;
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

  await load(PLACES_HERE);
  const capacity = await load(PLACES_HERE);
  const overload = await load(10 * PLACES_HERE);
  await server.close();
  console.info(
    `served ${capacity.good} at capacity; ${overload.good} and ${overload.refused} refused beyond`,
  );
  expect(capacity.refused).toBe(0);
  expect(overload.refused).toBeGreaterThan(overload.good);
  expect(overload.good).toBeGreaterThanOrEqual(0.8 * capacity.good);
});
