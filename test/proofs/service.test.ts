import { expect, onTestFinished, test } from 'vitest';
import type { Config } from '../../src/config/config.ts';
import type { DiscoveryListResponse } from '../../src/contract/index.ts';
import { createLog } from '../../src/log/log.ts';
import { openService } from '../../src/service.ts';
import { bazaar } from '../catalog/settledPayments.ts';
import { ask, config, JSON_TYPE, payment, standInScheme, TRANSACTION } from '../http/support.ts';
import { openOrigin, OWNER_FILE, ownerFile, type Origin } from './world.ts';

const { payTo, network } = payment.paymentRequirements;

/** The service with its own catalog, over a scheme that finds every payment good. */
async function open(proofs: Config['proofs']) {
  const kind = {
    x402Version: 2,
    scheme: 'exact',
    network: 'stellar:testnet',
    extra: { areFeesSponsored: true },
  } as const;
  const settle = async () => ({ success: true, transaction: TRANSACTION, network: kind.network }) as const;
  const service = await openService({
    config: { ...config, proofs },
    secrets: { submitterSecrets: [], feeBumpSecret: undefined },
    log: createLog([], { write: () => {} }),
    parts: { scheme: standInScheme({ kind, settle }) },
  });
  onTestFinished(() => service.close());
  return {
    async sell({ url }: Origin): Promise<void> {
      const { paymentPayload, ...request } = payment;
      const resource = { url: `${url}/weather` };
      const body = { ...request, paymentPayload: { ...paymentPayload, resource, extensions: { bazaar } } };
      await fetch(`${service.url}/settle`, {
        method: 'POST',
        headers: JSON_TYPE,
        body: JSON.stringify(body),
      });
    },
    async listed() {
      const { body } = await ask(`${service.url}/discovery/resources`);
      return (body as DiscoveryListResponse).items;
    },
  };
}

test('with PROOFS a settled payment leads to a listing that its origin vouches for', async () => {
  expect(network).toBe('stellar:testnet');
  const [service, origin] = [await open('any'), await openOrigin({ [OWNER_FILE]: ownerFile(payTo) })];
  await service.sell(origin);
  await expect
    .poll(() => service.listed(), { timeout: 10_000 })
    .toEqual([expect.objectContaining({ verified: expect.objectContaining({ by: 'well-known' }) })]);
});

test('without PROOFS no origin is asked, and no listing says anything of it', async () => {
  const [service, asking] = [await open(undefined), await open('any')];
  const [origin, other] = [await openOrigin(), await openOrigin({ [OWNER_FILE]: ownerFile(payTo) })];
  await service.sell(origin);
  await asking.sell(other);
  // The other service has looked meanwhile.
  await expect.poll(() => other.asked, { timeout: 10_000 }).toEqual([OWNER_FILE]);
  expect(origin.asked).toEqual([]);
  expect(await service.listed()).toEqual([expect.not.objectContaining({ verified: expect.anything() })]);
});
