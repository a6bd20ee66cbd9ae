import { expect, onTestFinished, test } from 'vitest';
import type { DiscoveryListResponse } from '../../src/contract/index.ts';
import { createLog } from '../../src/log/log.ts';
import { openService } from '../../src/service.ts';
import { ask, config, JSON_TYPE, payment, standInScheme, TRANSACTION } from '../http/support.ts';
import { bazaar } from './settledPayments.ts';

/** The service with its own catalog, over a scheme that finds every payment good. */
async function open(network: 'stellar:testnet' | 'stellar:pubnet') {
  const kind = { x402Version: 2, scheme: 'exact', network, extra: { areFeesSponsored: true } } as const;
  const settle = async () => ({ success: true, transaction: TRANSACTION, network }) as const;
  const service = await openService({
    config: { ...config, network },
    secrets: { submitterSecrets: [], feeBumpSecret: undefined },
    log: createLog([], { write: () => {} }),
    parts: { scheme: standInScheme({ kind, settle }) },
  });
  onTestFinished(() => service.close());
  return {
    /** What the header says of a listing at this address. */
    async sell(url: string): Promise<unknown> {
      const { paymentPayload, paymentRequirements, ...request } = payment;
      const body = JSON.stringify({
        ...request,
        paymentRequirements: { ...paymentRequirements, network },
        paymentPayload: { ...paymentPayload, resource: { url }, extensions: { bazaar } },
      });
      const { headers } = await fetch(`${service.url}/settle`, { method: 'POST', headers: JSON_TYPE, body });
      const header = Buffer.from(headers.get('extension-responses') ?? '', 'base64').toString();
      return (JSON.parse(header) as { bazaar: unknown }).bazaar;
    },
    async listed(): Promise<string[]> {
      const { body } = await ask(`${service.url}/discovery/resources`);
      return (body as DiscoveryListResponse).items.map(({ resource }) => resource);
    },
  };
}

const SUCCESS = { status: 'success' };

test('on pubnet no listing names an address of this machine or of a private network', async () => {
  const { sell, listed } = await open('stellar:pubnet');
  for (const url of [
    'http://127.0.0.1:4021/x',
    'http://[::1]/x',
    'http://10.0.0.1/x',
    'http://localhost/x',
    'http://169.254.169.254/x',
  ])
    expect(await sell(url)).toMatchObject({ status: 'rejected', code: 'bazaar_resource_url_invalid' });
  expect(await sell('https://seller.example/x')).toEqual(SUCCESS);
  expect(await listed()).toEqual(['https://seller.example/x']);
});

test('on the testnet it may: sellers try things out there', async () => {
  const { sell, listed } = await open('stellar:testnet');
  expect(await sell('http://127.0.0.1:4021/x')).toEqual(SUCCESS);
  expect(await listed()).toEqual(['http://127.0.0.1:4021/x']);
});

test('twins of one URL are one listing, and what the standard calls different is another', async () => {
  const { sell, listed } = await open('stellar:testnet');
  const twins = [
    'https://seller.example/weather',
    'https://seller.example/%77eather',
    'HTTPS://Seller.Example:443/a/../weather?city=Lisbon#now',
    'https://seller.example/%2e/weathe%72',
  ];
  const others = [
    'https://seller.example//weather',
    'https://seller.example/weather/',
    'https://seller.example/Weather',
    'https://seller.example/%2Fweather',
    'https://seller.example:8443/weather',
    'http://seller.example/weather',
  ];
  for (const url of [...twins, ...others]) expect(await sell(url)).toEqual(SUCCESS);
  expect(await listed()).toEqual([twins[0], ...others]);
});
