import { StrKey, TransactionBuilder } from '@stellar/stellar-sdk';
import { describe, expect, test } from 'vitest';
import * as contract from '../../src/contract/index.ts';
import { at, operations as pointers, resolve, validatorAt } from '../support/contract.ts';
import { codesOf, specificationCodes, specifiedCodesOf } from './specificationCodes.ts';

type Node = Record<string, any>;

const schemas = at('#/components/schemas') as Record<string, Node>;
const operations = [...pointers].map(([route, pointer]) => ({
  route,
  pointer,
  operation: at(pointer) as Node,
}));

/** Every media type, parameter and header of the operations: where it is, and the object that holds its examples. */
function placesOf({ operation, pointer }: (typeof operations)[number]) {
  const bodies = operation.requestBody ? [`${resolve(`${pointer}/requestBody`)}`] : [];
  const responses = Object.keys(operation.responses).map((status) =>
    resolve(`${pointer}/responses/${status}`),
  );
  const contents = [...bodies, ...responses].flatMap((place) =>
    Object.keys((at(place) as Node).content).map((type) => `${place}/content/${type.replace('/', '~1')}`),
  );
  const headers = responses.flatMap((place) =>
    Object.keys((at(place) as Node).headers).map((name) => resolve(`${place}/headers/${name}`)),
  );
  const parameters = (operation.parameters ?? []).map((_: Node, i: number) =>
    resolve(`${pointer}/parameters/${i}`),
  );
  return { contents, others: [...new Set([...headers, ...parameters])] as string[] };
}

function examplesAt(place: string): unknown[] {
  const holder = at(place) as Node;
  const named = Object.keys(holder.examples ?? {}).map(
    (name) => (at(resolve(`${place}/examples/${name}`)) as Node).value as unknown,
  );
  return 'example' in holder ? [holder.example, ...named] : named;
}

function errorsOf(pointer: string, value: unknown): unknown {
  const validate = validatorAt(pointer);
  return validate(value) ? [] : validate.errors;
}

const valid = (schema: string, value: unknown): boolean =>
  validatorAt(`#/components/schemas/${schema}`)(value);

test('the operations are those of the specification, the status of a settlement, those of sellers, and the keys of receipts', () => {
  expect([...pointers.keys()]).toEqual([
    'POST /verify',
    'POST /settle',
    'POST /settlements/status',
    'GET /',
    'GET /supported',
    'GET /health',
    'GET /.well-known/jwks.json',
    'GET /discovery/resources',
    'GET /discovery/search',
    'POST /discovery/listings/hide',
    'POST /discovery/listings/restore',
    'POST /discovery/listings/describe',
    'POST /discovery/listings/confirm',
    'POST /discovery/listings/settlements',
  ]);
});

describe('every operation', () => {
  test.each(operations)(
    '$route has a summary, a description, an operationId and a described tag',
    ({ operation }) => {
      expect(operation.summary).toMatch(/\S/);
      expect(operation.description).toMatch(/\S/);
      expect(operation.operationId).toMatch(/^[a-z][A-Za-z]+$/);
      const tags = at('#/tags') as Node[];
      for (const tag of operation.tags)
        expect(tags.find(({ name }) => name === tag)?.description).toMatch(/\S/);
    },
  );

  test.each(operations)('$route has valid examples for its request and for every response', (operation) => {
    for (const place of placesOf(operation).contents) {
      const examples = examplesAt(place);
      expect(examples.length, place).toBeGreaterThan(0);
      for (const example of examples) expect(errorsOf(`${place}/schema`, example), place).toEqual([]);
    }
  });

  test.each(operations)('$route has valid examples for its parameters and headers', (operation) => {
    for (const place of placesOf(operation).others) {
      for (const example of examplesAt(place))
        expect(errorsOf(`${place}/schema`, example), place).toEqual([]);
    }
  });

  test.each(operations)('$route answers with a request id, whatever the status', ({ operation, pointer }) => {
    for (const status of Object.keys(operation.responses)) {
      const { headers } = at(resolve(`${pointer}/responses/${status}`)) as Node;
      expect(Object.keys(headers), status).toContain('x-request-id');
    }
  });
});

describe('codes', () => {
  const tables = Object.keys(specificationCodes) as (keyof typeof specificationCodes)[];

  test('of the specification are 30 to verify, 7 to settle, 10 of the service and 7 of the catalog', () => {
    expect(tables.map((table) => [table, specifiedCodesOf(table).length])).toEqual([
      ['VerifyCode', 30],
      ['SettleCode', 7],
      ['EnvelopeCode', 10],
      ['CatalogCode', 7],
    ]);
  });

  test('are generated as lists', () => {
    expect(contract.verifyCodes).toEqual(codesOf('VerifyCode'));
    expect(contract.settleCodes).toEqual(codesOf('SettleCode'));
    expect([...contract.envelopeCodes].sort()).toEqual(codesOf('EnvelopeCode').sort());
    expect(contract.catalogCodes).toEqual(codesOf('CatalogCode'));
  });

  test.each([
    ['ReasonCode', schemas['ReasonCode']],
    ['ErrorDetail.code', schemas['ErrorDetail']?.properties.code],
    ['CatalogCode', schemas['CatalogCode']],
  ])('of %s each have their row in the description', (_, schema) => {
    const rows = [...schema.description.matchAll(/^\| `(\w+)` \|.*\S.* \|$/gm)].map(([, code]) => code);
    expect(rows).toEqual(schema.enum);
  });

  test('of the service are found in payment answers or in the error envelope', () => {
    const inEnvelope: string[] = schemas['ErrorDetail']?.properties.code.enum;
    const inPayments = contract.paymentEnvelopeCodes as readonly string[];
    expect(new Set([...inEnvelope, ...inPayments])).toEqual(new Set(codesOf('EnvelopeCode')));
    expect(inEnvelope.filter((code) => inPayments.includes(code))).toEqual([
      'svc_malformed_request_body',
      'svc_unauthorized',
      'svc_rate_limited',
      'svc_database_unavailable',
      'svc_internal_error',
      'svc_overloaded',
    ]);
  });

  test('of settle are no reasons on verify, and those of verify are reasons on settle', () => {
    const refused = (invalidReason: string) =>
      valid('VerifyResponse', { isValid: false, invalidReason, invalidMessage: 'why' });
    const failed = (errorReason: string) =>
      valid('SettleResponse', {
        success: false,
        transaction: '',
        network: 'stellar:testnet',
        errorReason,
        errorMessage: 'why',
      });
    const ofSettle = [
      ...codesOf('SettleCode'),
      'svc_fee_budget_exhausted',
      'svc_fee_account_low',
      'svc_database_unavailable',
      'svc_invalid_idempotency_key',
      'svc_settlement_pending',
      'svc_idempotency_key_reused',
      'svc_payment_identifier_conflict',
    ];
    for (const code of ofSettle) expect([refused(code), failed(code)], code).toEqual([false, true]);
    const ofBoth = [...codesOf('VerifyCode'), ...contract.paymentEnvelopeCodes];
    for (const code of ofBoth.filter((code) => !ofSettle.includes(code)))
      expect([refused(code), failed(code)], code).toEqual([true, true]);
  });
});

describe('answers', () => {
  const reason = { invalidReason: 'network_mismatch', invalidMessage: 'why' };
  const error = { errorReason: 'verification_failed', errorMessage: 'why' };
  const settled = { success: true, transaction: 'ab'.repeat(32), network: 'stellar:testnet' };
  const failed = { success: false, transaction: '', network: 'stellar:testnet', ...error };

  test.each([
    ['VerifyResponse', { isValid: true }],
    ['VerifyResponse', { isValid: false, ...reason }],
    ['SettleResponse', settled],
    ['SettleResponse', failed],
    ['BazaarOutcome', { status: 'success' }],
    ['BazaarOutcome', { status: 'rejected', rejectedReason: 'why', code: 'bazaar_schema_too_complex' }],
  ])('%s may be %j', (schema, value) => {
    expect(valid(schema, value)).toBe(true);
  });

  test.each([
    ['VerifyResponse', { isValid: false }],
    ['VerifyResponse', { isValid: false, invalidReason: 'network_mismatch' }],
    ['VerifyResponse', { isValid: false, ...reason, invalidMessage: '' }],
    ['VerifyResponse', { isValid: false, ...reason, invalidReason: 'some_code' }],
    ['VerifyResponse', { isValid: true, ...reason }],
    ['VerifyResponse', { isValid: true, detail: 'not documented' }],
    ['SettleResponse', { ...settled, transaction: '' }],
    ['SettleResponse', { ...settled, transaction: 'AB'.repeat(32) }],
    ['SettleResponse', { ...settled, ...error }],
    ['SettleResponse', { ...failed, transaction: settled.transaction }],
    ['SettleResponse', { ...failed, errorMessage: undefined, errorReason: undefined }],
    ['SettleResponse', { ...failed, network: '' }],
    ['BazaarOutcome', { status: 'rejected' }],
    ['BazaarOutcome', { status: 'processing' }],
    ['ErrorEnvelope', { error: { code: 'svc_unsupported_kind', reason: 'why' } }],
  ])('%s is never %j', (schema, value) => {
    expect(valid(schema, JSON.parse(JSON.stringify(value)))).toBe(false);
  });
});

describe('requests', () => {
  const { paymentPayload, paymentRequirements } = (at('#/components/examples/Payment') as Node).value as Node;
  const anyJson = [null, true, 7, 'text', [], [1], {}, { scheme: 7 }, { transaction: null }];

  test.each(['accepted', 'payload', 'resource', 'extensions'])('let any JSON value into %s', (field) => {
    for (const value of anyJson) {
      const request = { paymentPayload: { ...paymentPayload, [field]: value }, paymentRequirements };
      expect(errorsOf('#/components/schemas/FacilitatorRequest', request)).toEqual([]);
    }
  });

  test('need neither a top-level version nor anything in the payload but its version', () => {
    expect(valid('FacilitatorRequest', { paymentPayload: { x402Version: 2 }, paymentRequirements })).toBe(
      true,
    );
  });

  test('may carry further fields at every level', () => {
    const request = {
      paymentPayload: { ...paymentPayload, more: 1 },
      paymentRequirements: { ...paymentRequirements, more: 1, extra: null },
      more: 1,
    };
    expect(errorsOf('#/components/schemas/FacilitatorRequest', request)).toEqual([]);
  });

  test.each(['scheme', 'network', 'asset', 'amount', 'payTo', 'maxTimeoutSeconds'])(
    'need %s among the requirements, in its type',
    (field) => {
      const { [field]: _, ...without } = paymentRequirements;
      expect(valid('PaymentRequirements', without)).toBe(false);
      for (const value of [null, [], {}, true, field === 'maxTimeoutSeconds' ? '60' : 60]) {
        expect(valid('PaymentRequirements', { ...without, [field]: value })).toBe(false);
      }
    },
  );
});

describe('examples', () => {
  test('name addresses that exist in form', () => {
    const addresses = JSON.stringify(contract.document).match(/\b[GC][A-Z2-7]{55}\b/g) ?? [];
    expect(addresses.length).toBeGreaterThan(0);
    for (const address of new Set(addresses)) {
      expect(StrKey.isValidEd25519PublicKey(address) || StrKey.isValidContract(address), address).toBe(true);
    }
  });

  test.each(['Payment', 'PaymentForListing', 'PaymentOfWrongAmount'])(
    '%s holds a transaction that decodes',
    (name) => {
      const { value } = at(`#/components/examples/${name}`) as Node;
      const transaction = TransactionBuilder.fromXDR(
        value.paymentPayload.payload.transaction,
        'Test SDF Network ; September 2015',
      );
      expect(transaction.operations.map(({ type }) => type)).toEqual(['invokeHostFunction']);
    },
  );
});
