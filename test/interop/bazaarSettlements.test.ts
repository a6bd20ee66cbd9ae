import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openCatalog, type Catalog } from '../../src/catalog/index.ts';
import type {
  DiscoveryListResponse,
  DiscoveryResource,
  PaymentRequirements,
  SettleResponse,
} from '../../src/contract/index.ts';
import { stockDeclarations, stockEcho, type Echo } from '../catalog/declaration/stockDeclarations.ts';
import { ask } from '../http/support.ts';
import { expectDocumented } from '../support/contract.ts';
import { AMOUNT, NETWORK, requestFor, requirementsFor, signTransfer } from '../support/payments.ts';
import { openSandbox, type TestSandbox } from '../support/sandbox.ts';
import { openFacilitator, silent, type Facilitator } from '../support/service.ts';

/** So that settlements at the same time do not wait for each other. */
const SUBMITTERS = 4;
const NEW_LISTINGS_PER_HOUR = 10;

/** Enough for a busy machine: these tests are not about how long a settlement waits for the catalog. */
const limits = { submitBudgetMs: 10_000 };

let sandbox: TestSandbox;
let facilitator: Facilitator;
let catalog: Catalog;
beforeAll(async () => {
  sandbox = await openSandbox();
  const submitters = Array.from({ length: SUBMITTERS }, () => sandbox.submitter());
  catalog = await openCatalog({
    dbPath: ':memory:',
    log: silent,
    newListingsPerHour: NEW_LISTINGS_PER_HOUR,
    limits,
  });
  facilitator = await openFacilitator({ rpcUrl: sandbox.url, submitters, catalog });
});
afterAll(async () => {
  await facilitator.close();
  await sandbox.close();
});

const newPayTo = (): string => sandbox.account(0n).publicKey();

interface Settled {
  payer: string;
  body: SettleResponse;
  /** Of the header EXTENSION-RESPONSES; undefined without it. */
  responses: any;
}

/** Settles a new payment whose payload carries this beside the payment itself. */
async function settle(
  echo: { extensions?: unknown; resource?: unknown },
  payTo: string,
  terms: Partial<PaymentRequirements> = {},
): Promise<Settled> {
  const key = sandbox.account();
  const requirements = requirementsFor(payTo, terms);
  const expiration = sandbox.expirationIn(requirements.maxTimeoutSeconds);
  const transaction = signTransfer({ key, requirements, expiration, nonce: sandbox.nonce() });
  const { paymentPayload, ...request } = requestFor(requirements, transaction);
  const response = await fetch(`${facilitator.url}/settle`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...request, paymentPayload: { ...paymentPayload, ...echo } }),
  });
  const body = (await response.json()) as SettleResponse;
  const { status, headers } = response;
  expectDocumented({ method: 'POST', path: '/settle', status, headers, body });
  const header = headers.get('extension-responses');
  const responses = header === null ? undefined : JSON.parse(Buffer.from(header, 'base64').toString('utf8'));
  return { payer: key.publicKey(), body, responses };
}

/** The same with a declaration that may be spoiled first. */
function settleEcho(
  payTo: string,
  { edit = () => {}, echo = stockEcho(), terms = {} }: Partial<EchoTerms> = {},
): Promise<Settled> {
  edit(echo);
  const { bazaar, resource } = echo;
  return settle({ extensions: { bazaar }, resource }, payTo, terms);
}

interface EchoTerms {
  echo: Echo;
  edit(echo: Echo): void;
  terms: Partial<PaymentRequirements>;
}

/** Whatever comes of the listing, the payment is this and nothing else. */
function expectPaid({ body, payer }: Settled, payTo: string, amount = AMOUNT): void {
  expect(body).toStrictEqual({
    success: true,
    transaction: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
    network: NETWORK,
    payer,
  });
  expect(sandbox.usdc(payTo)).toBe(amount);
}

async function listingsAt(url: string): Promise<DiscoveryResource[]> {
  const { body } = await ask(`${facilitator.url}/discovery/resources?limit=100`);
  return (body as DiscoveryListResponse).items.filter(({ resource }) => resource === url);
}

/** A declaration for a URL that no other test uses. */
function echoAt(path: string, make = stockEcho): { echo: Echo; url: string } {
  const url = `https://api.example.com${path}`;
  const echo = make();
  echo.resource.url = url;
  return { echo, url };
}

const OWNED = 'bazaar_listing_owned_by_other_payee';

test('a recipient makes no more new listings in an hour than the operator allows: bazaar_too_many_new_listings', async () => {
  const payTo = newPayTo();
  const sell = async (nth: number): Promise<unknown> => {
    const { echo } = echoAt(`/many/${nth}`);
    return (await settleEcho(payTo, { echo })).responses.bazaar;
  };
  const success = { status: 'success' };
  for (let nth = 0; nth < NEW_LISTINGS_PER_HOUR; nth += 1) expect(await sell(nth)).toEqual(success);
  expect(await sell(NEW_LISTINGS_PER_HOUR)).toMatchObject({
    status: 'rejected',
    code: 'bazaar_too_many_new_listings',
  });
  expect(await sell(0)).toEqual(success);
});

test('a seller whom the operator blocks is told so, and is paid as always: bazaar_listing_blocked', async () => {
  const payTo = newPayTo();
  const { echo, url } = echoAt('/blocked');
  expect((await settleEcho(payTo, { echo })).responses).toEqual({ bazaar: { status: 'success' } });
  const act = { reason: 'fraud', source: 'console', actor: 'ada' } as const;
  await catalog.keeper.block({ kind: 'recipient', value: payTo }, act);
  expect(await listingsAt(url)).toEqual([]);
  const settled = await settleEcho(payTo, { echo });
  expectPaid(settled, payTo, 2n * AMOUNT);
  expect(settled.responses.bazaar).toEqual({
    status: 'rejected',
    code: 'bazaar_listing_blocked',
    rejectedReason: expect.not.stringContaining('fraud'),
  });
  expect(await listingsAt(url)).toEqual([]);
});

describe('a settled payment', () => {
  test.each(Object.entries(stockDeclarations))('that declares %s is listed', async (_what, make) => {
    const payTo = newPayTo();
    const settled = await settleEcho(payTo, { echo: make() });
    expectPaid(settled, payTo);
    expect(settled.responses).toEqual({ bazaar: { status: 'success' } });
  });

  const nothing: [what: string, extensions: unknown][] = [
    ['no extensions', undefined],
    ['null as extensions', null],
    ['no extension in it', {}],
    ['another extension', { 'payment-identifier': { info: {}, schema: {} } }],
    ['a list', [{ bazaar: {} }]],
    ['a text', 'bazaar'],
  ];
  test.each(nothing)('that echoes %s has no header', async (_what, extensions) => {
    const payTo = newPayTo();
    const settled = await settle({ extensions }, payTo);
    expectPaid(settled, payTo);
    expect(settled.responses).toBeUndefined();
  });

  const defects: [code: string, edit: (echo: Echo) => void, reason: string][] = [
    ['bazaar_extension_not_object', (echo) => (echo.bazaar = 'please'), 'please'],
    ['bazaar_extension_not_object', (echo) => delete echo.bazaar.schema, 'schema'],
    [
      'bazaar_extensions_too_large',
      (echo) => (echo.bazaar.info.output.example.text = 'x'.repeat(64 * 1024)),
      '65536',
    ],
    ['bazaar_spec_validation_failed', (echo) => (echo.bazaar.info.input.type = 'ftp'), 'info.input.type'],
    [
      'bazaar_schema_validation_failed',
      (echo) => (echo.bazaar.info.input.queryParams = {}),
      'info.input.queryParams',
    ],
    [
      'bazaar_schema_too_complex',
      (echo) => (echo.bazaar.schema.$comment = Array.from({ length: 2_000 }, () => 0)),
      '2000',
    ],
    [
      'bazaar_resource_url_invalid',
      (echo) => (echo.resource.url = 'mcp://tool/weather'),
      'mcp://tool/weather',
    ],
  ];
  test.each(defects)('with a defect is paid all the same, and told %s (%#)', async (code, edit, reason) => {
    const payTo = newPayTo();
    const { echo, url } = echoAt(`/defect/${defects.findIndex(([, of]) => of === edit)}`);
    const settled = await settleEcho(payTo, { echo, edit });
    expectPaid(settled, payTo);
    const rejectedReason = expect.stringContaining(reason) as string;
    expect(settled.responses).toEqual({ bazaar: { status: 'rejected', rejectedReason, code } });
    expect(await listingsAt(url)).toEqual([]);
  });

  const dropped: [field: string, edit: (echo: Echo) => void][] = [
    ['serviceName', ({ resource }) => (resource.serviceName = 'x'.repeat(33))],
    ['tags', ({ resource }) => (resource.tags = ['ungültig'])],
    ['iconUrl', ({ resource }) => (resource.iconUrl = 'http://127.0.0.1/icon.png')],
  ];
  test.each(dropped)('with a bad %s is listed without it', async (field, edit) => {
    const { echo, url } = echoAt(`/without/${field}`);
    const settled = await settleEcho(newPayTo(), { echo, edit });
    expect(settled.responses).toEqual({ bazaar: { status: 'success' } });
    const [listing] = await listingsAt(url);
    const { url: _url, [field]: _field, ...kept } = echo.resource;
    expect(listing).toMatchObject(kept);
    expect(listing).not.toHaveProperty(field);
  });

  test('with a bad route template is listed at its path', async () => {
    const { echo, url } = echoAt('/bad/template/7', stockDeclarations['dynamic route']);
    const edit = ({ bazaar }: Echo) => (bazaar.routeTemplate = '/a/%252e%252e/b');
    expect((await settleEcho(newPayTo(), { echo, edit })).responses).toEqual({
      bazaar: { status: 'success' },
    });
    const [listing] = await listingsAt(url);
    expect(listing!.extensions!.bazaar).not.toHaveProperty('routeTemplate');
  });
});

describe('a listing', () => {
  test('is refreshed by the payTo that owns it: what is said wins, what is not said stays, terms add up', async () => {
    const payTo = newPayTo();
    const { url } = echoAt('/refreshed');
    const pay = (edit: (echo: Echo) => void, terms = {}) =>
      settleEcho(payTo, { echo: echoAt('/refreshed').echo, edit, terms });

    await pay(({ resource }) => (resource.url += '?city=Lisbon#now'));
    const [first] = await listingsAt(url);
    const dearer = { amount: String(2n * AMOUNT) };
    const second = await pay(({ resource, bazaar }) => {
      Object.assign(resource, { description: 'Said anew', serviceName: '', tags: undefined });
      bazaar.info.input.queryParams.city = 'Porto';
    }, dearer);
    const third = await pay(({ resource }) => delete resource.description);
    for (const { responses } of [second, third]) expect(responses).toEqual({ bazaar: { status: 'success' } });
    expectPaid(third, payTo, 4n * AMOUNT);

    const listings = await listingsAt(url);
    expect(listings).toStrictEqual([
      {
        ...first,
        description: 'Said anew',
        accepts: [requirementsFor(payTo), requirementsFor(payTo, dearer)],
        lastUpdated: expect.any(String) as string,
      },
    ]);
    expect(Date.parse(listings[0]!.lastUpdated)).toBeGreaterThan(Date.parse(first!.lastUpdated));
  });

  test('stays as it is when another payTo is paid for it, and that is told', async () => {
    const [owner, other] = [newPayTo(), newPayTo()];
    const { echo, url } = echoAt('/owned');
    await settleEcho(owner, { echo });
    const before = await listingsAt(url);
    const refused = await settleEcho(other, {
      echo: echoAt('/owned').echo,
      edit: ({ resource }) => (resource.description = 'Mine now'),
    });
    expectPaid(refused, other);
    expect(refused.responses).toEqual({
      bazaar: { status: 'rejected', rejectedReason: expect.stringContaining('payTo') as string, code: OWNED },
    });
    expect(await listingsAt(url)).toStrictEqual(before);
    expect((await settleEcho(owner, { echo })).responses).toEqual({ bazaar: { status: 'success' } });
  });

  test('that two sellers are paid for at the same time belongs to exactly one of them', async () => {
    const sellers = [newPayTo(), newPayTo()];
    const paths = Array.from({ length: 5 }, (_, round) => `/race/${round}`);
    const settleAll = (path: string) =>
      Promise.all(
        [...sellers, ...sellers].map(async (payTo) => {
          const { body, responses } = await settleEcho(payTo, { echo: echoAt(path).echo });
          expect(body.success).toBe(true);
          return { payTo, outcome: responses.bazaar.code ?? responses.bazaar.status };
        }),
      );
    for (const path of paths) {
      const outcomes = await settleAll(path);
      const listings = await listingsAt(echoAt(path).url);
      expect(listings).toHaveLength(1);
      const [{ payTo: owner }] = listings[0]!.accepts as [PaymentRequirements];
      expect(listings[0]!.accepts).toEqual([requirementsFor(owner)]);
      expect(sellers).toContain(owner);
      expect(outcomes).toEqual(
        outcomes.map(({ payTo }) => ({ payTo, outcome: payTo === owner ? 'success' : OWNED })),
      );
    }
    for (const payTo of sellers) expect(sandbox.usdc(payTo)).toBe(10n * AMOUNT);
  });
});
