import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { findUndeclared } from '../../codegen/breaking/guard.ts';
import { buildOasdiff } from '../../codegen/breaking/oasdiff.ts';

const contract = parse(await readFile(new URL('../../openapi.yaml', import.meta.url), 'utf8'));
const BUILD_MS = 300_000;

// The first run on a machine downloads and builds oasdiff.
const oasdiff = await buildOasdiff();
if ('missing' in oasdiff) console.warn(`skipped: ${oasdiff.missing}`);
const program = 'program' in oasdiff ? oasdiff.program : '';

type Change = [change: string, edit: (contract: any) => void, line: string];

/** Changes that break clients, which one run finds together, each with the line that declares it. */
const breaking: Change[] = [
  [
    'an operation is removed',
    (c) => delete c.paths['/health'],
    'GET /health: api path removed without deprecation',
  ],
  [
    'an operation is renamed',
    (c) => (c.paths['/supported'].get.operationId = 'supported'),
    'GET /supported: api operation id `getSupported` removed and replaced with `supported`',
  ],
  [
    'a parameter is removed',
    (c) => {
      const list = c.paths['/discovery/resources'].get;
      list.parameters = list.parameters.filter(({ name }: { name?: string }) => name !== 'offset');
    },
    'GET /discovery/resources: deleted the `query` request parameter `offset`',
  ],
  [
    'a parameter is required',
    (c) => (c.components.parameters.Limit.required = true),
    'GET /discovery/search: the `query` request parameter `limit` became required',
  ],
  [
    'a property of a request is required',
    (c) => c.components.schemas.PaymentRequirements.required.push('extra'),
    'POST /verify: the request property `paymentRequirements/extra` became required',
  ],
  [
    'a request may have no further fields',
    (c) => (c.components.schemas.FacilitatorRequest.additionalProperties = false),
    'POST /verify: request property `(other fields)` was restricted to a list of enum values',
  ],
  [
    'a text in a request has a greatest length',
    (c) => (c.components.schemas.PaymentRequirements.properties.amount.maxLength = 40),
    "POST /settle: the `paymentRequirements/amount` request property's maxLength was set to `40`",
  ],
  [
    'a code of a refusal is added',
    (c) => c.components.schemas.ReasonCode.enum.push('one_more'),
    'POST /settle: added the new `one_more` enum value to the `errorReason` response property',
  ],
  [
    'a code inside a header is added',
    (c) => c.components.schemas.CatalogCode.enum.push('bazaar_new'),
    'GET (headers): added the new `bazaar_new` enum value to the `EXTENSION-RESPONSES/bazaar/code` response property',
  ],
  [
    'a code is removed',
    (c) => c.components.schemas.ErrorDetail.properties.code.enum.pop(),
    'POST /verify: removed the `svc_overloaded` enum value from the `error/code` response property',
  ],
  [
    'a header is not always there',
    (c) => (c.components.headers.RequestId.required = false),
    'POST /verify: the response header `x-request-id` became optional',
  ],
  [
    'a property of an answer is not always there',
    (c) => c.components.schemas.ListPagination.required.pop(),
    'GET /discovery/resources: the response property `pagination/total` became optional',
  ],
  [
    'a property is added to an answer that was to have no other',
    (c) => (c.components.schemas.SettleResponse.properties.ledger = { type: 'integer' }),
    'POST /settle: added the new `ledger` enum value to the `(other fields)` response property',
  ],
  [
    'an answer may say null',
    (c) => (c.components.schemas.SearchPagination.properties.limit.type = ['integer', 'null']),
    'GET /discovery/search: the response property `pagination/limit` became nullable',
  ],
  [
    'a condition of an answer changes',
    (c) => c.components.schemas.VerifyResponse.then.required.pop(),
    'POST /verify: the response property `/then/invalidMessage` became optional',
  ],
  [
    'a status is removed',
    (c) => delete c.paths['/verify'].post.responses['413'],
    'POST /verify: removed the non-success response with the status `413`',
  ],
];

/** Changes that break no client. */
const compatible: ((contract: any) => void)[] = [
  (c) => (c.paths['/metrics'] = { get: { operationId: 'getMetrics', responses: {} } }),
  (c) =>
    c.paths['/discovery/resources'].get.parameters.unshift({
      name: 'order',
      in: 'query',
      schema: { type: 'string' },
    }),
  (c) => (c.paths['/discovery/search'].get.parameters[0].required = false),
  (c) => (c.components.schemas.FacilitatorRequest.properties.hint = { type: 'string' }),
  (c) => c.components.schemas.FacilitatorRequest.required.pop(),
  (c) => (c.components.schemas.DiscoveryResource.properties.rating = { type: 'number' }),
  (c) => c.components.schemas.HealthResponse.required.push('port'),
  (c) => c.components.schemas.CatalogCode.enum.reverse(),
  (c) => (c.components.schemas.SettleResponse.description = 'The outcome.'),
  (c) => (c.paths['/verify'].post.responses['409'] = { description: 'Wait.' }),
  (c) => (c.paths['/verify'].post.responses['200'].headers['x-ledger'] = { schema: { type: 'integer' } }),
  (c) => (c.components.requestBodies.Payment.content['application/cbor'] = {}),
];

function changed(edits: readonly ((contract: any) => void)[], version = contract.info.version): any {
  const next = structuredClone(contract);
  for (const edit of edits) edit(next);
  return { ...next, info: { ...next.info, version } };
}

function guard(released: string, after: any, changelog = ''): Promise<string | undefined> {
  const before = { ...contract, info: { ...contract.info, version: released } };
  return findUndeclared(program, { before, after, changelog });
}

describe.skipIf(!program)('the guard of the contract', () => {
  let found: string[] = [];

  beforeAll(async () => {
    found =
      (
        await guard(
          '0.1.0',
          changed(
            breaking.map(([, edit]) => edit),
            '0.2.0',
          ),
        )
      )?.split('\n') ?? [];
  }, BUILD_MS);

  it.each(breaking)('finds that %s', (_change, _edit, line) => {
    expect(found.filter((one) => one.startsWith(`- ${line} (`))).toHaveLength(1);
  });

  it('finds nothing in changes that break no client', async () => {
    expect(await guard('0.1.0', changed(compatible, '0.1.0'))).toBeUndefined();
  });

  const addCode = (c: any) => c.components.schemas.CatalogCode.enum.push('bazaar_new');
  const line =
    '- GET (headers): added the new `bazaar_new` enum value to the `EXTENSION-RESPONSES/bazaar/code` response property (response-property-enum-value-added)';
  const changelog = (heading: string, list = 'Breaking') =>
    `# Changelog\n\n## ${heading}\n\n### ${list}\n\n${line} Wallets may show it.\n\n### Added\n\n- More.\n\n## [0.0.1]\n`;

  it.each([
    ['0.1.0', '0.2.0', '[0.2.0] - 2026-12-01'],
    ['0.1.9', '1.0.0', '[Unreleased]'],
    ['1.4.2', '2.0.0', '[2.0.0]'],
  ])('lets a declared change of %s pass in %s', async (released, version, heading) => {
    expect(await guard(released, changed([addCode], version), changelog(heading))).toBeUndefined();
  });

  it.each([
    ['0.1.0', '0.1.0'],
    ['0.1.0', '0.1.1'],
    ['0.2.0', '0.1.0'],
    ['1.4.2', '1.5.0'],
  ])('finds that %s is not raised enough in %s', async (released, version) => {
    const text = await guard(released, changed([addCode], version), changelog(`[${version}]`));
    expect(text).toMatch(/^openapi.yaml: raise info.version enough: .*$/);
  });

  it.each([
    ['anywhere', ''],
    ['under another heading', changelog('[0.2.0]', 'Changed')],
    ['in the section of another version', `${changelog('[0.1.0]')}\n## [0.2.0]\n`],
  ])('prints the line that the changelog lacks: it is not %s', async (_where, log) => {
    expect(await guard('0.1.0', changed([addCode], '0.2.0'), log)).toBe(
      `CHANGELOG.md lacks these lines under "### Breaking" of [0.2.0], or of [Unreleased]:\n${line}`,
    );
  });
});
