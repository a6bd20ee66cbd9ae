import { describe, expect, test } from 'vitest';
import { payment, post, requirements, startService } from './support.ts';

const { paymentPayload, paymentRequirements } = payment;
const without = (object: object, name: string): object =>
  Object.fromEntries(Object.entries(object).filter(([key]) => key !== name));

/** Each rung with a body that violates it and every later one, so that the order shows. */
const ladder: [what: string, body: unknown, status: number, code: string, message: RegExp][] = [
  ['null', null, 400, 'svc_malformed_request_body', /must be a JSON object/],
  ['an array', [payment], 400, 'svc_malformed_request_body', /must be a JSON object/],
  ['a string', 'payment', 400, 'svc_malformed_request_body', /must be a JSON object/],
  ['a number', 7, 400, 'svc_malformed_request_body', /must be a JSON object/],
  ['no payload', {}, 400, 'svc_missing_payment_payload', /paymentPayload/],
  [
    'a payload that is null',
    { ...payment, paymentPayload: null },
    400,
    'svc_missing_payment_payload',
    /paymentPayload/,
  ],
  [
    'a payload that is an array',
    { paymentPayload: [] },
    400,
    'svc_missing_payment_payload',
    /paymentPayload/,
  ],
  ['no requirements', { paymentPayload: {} }, 400, 'svc_missing_payment_requirements', /paymentRequirements/],
  [
    'requirements that are a string',
    { paymentPayload: {}, paymentRequirements: 'exact' },
    400,
    'svc_missing_payment_requirements',
    /paymentRequirements/,
  ],
  [
    'no version',
    { paymentPayload: {}, paymentRequirements: {} },
    400,
    'svc_unsupported_x402_version',
    /x402Version/,
  ],
  ...[1, 3, '2', 2.5, null].map((x402Version): (typeof ladder)[number] => [
    `version ${JSON.stringify(x402Version)}`,
    { paymentPayload: { x402Version }, paymentRequirements: {} },
    400,
    'svc_unsupported_x402_version',
    /x402Version/,
  ]),
  ...Object.keys(without(requirements, 'extra')).map((field): (typeof ladder)[number] => [
    `requirements without ${field}`,
    {
      paymentPayload,
      paymentRequirements: {
        ...without(requirements, field),
        network: field === 'network' ? undefined : 'x:y',
      },
    },
    400,
    'svc_malformed_request_body',
    new RegExp(`^paymentRequirements\\.${field} is missing\\.$`),
  ]),
  [
    'an amount that is a number',
    { paymentPayload, paymentRequirements: { ...requirements, amount: 100000, network: 'x:y' } },
    400,
    'svc_malformed_request_body',
    /^paymentRequirements\.amount must be string\.$/,
  ],
  [
    'an outer version that is a string',
    { ...payment, x402Version: '2' },
    400,
    'svc_malformed_request_body',
    /^x402Version must be integer\.$/,
  ],
  [
    'another network',
    { paymentPayload, paymentRequirements: { ...requirements, network: 'stellar:pubnet' } },
    200,
    'svc_unsupported_kind',
    /exact on stellar:testnet/,
  ],
  [
    'another scheme',
    { paymentPayload, paymentRequirements: { ...requirements, scheme: 'upto' } },
    200,
    'svc_unsupported_kind',
    /exact on stellar:testnet/,
  ],
];

test.each(ladder)('verify refuses %s', async (_what, body, status, code, message) => {
  const { url } = await startService();
  const answer = await post(`${url}/verify`, JSON.stringify(body));
  expect(answer.status).toBe(status);
  expect(answer.body).toEqual({
    isValid: false,
    invalidReason: code,
    invalidMessage: expect.stringMatching(message),
  });
});

test.each(ladder)('settle refuses %s, naming a network', async (_what, body, status, code, message) => {
  const { url } = await startService();
  const answer = await post(`${url}/settle`, JSON.stringify(body));
  expect(answer.status).toBe(status);
  const named = (body as { paymentRequirements?: { network?: string } } | null)?.paymentRequirements?.network;
  expect(answer.body).toEqual({
    success: false,
    transaction: '',
    network: named ?? 'stellar:testnet',
    errorReason: code,
    errorMessage: expect.stringMatching(message),
  });
});

describe('what is no concern of the envelope', () => {
  const fine: [what: string, body: unknown][] = [
    [
      'further fields anywhere',
      { ...payment, note: 1, paymentRequirements: { ...requirements, constructor: {} } },
    ],
    ['no outer version', { paymentPayload, paymentRequirements }],
    ['another outer version', { ...payment, x402Version: 1 }],
    ['extra null', { paymentPayload, paymentRequirements: { ...requirements, extra: null } }],
    [
      'accepted terms of another kind',
      { ...payment, paymentPayload: { ...paymentPayload, accepted: { scheme: 'x' } } },
    ],
    ['a payload of any shape', { ...payment, paymentPayload: { x402Version: 2, payload: 7, resource: [] } }],
  ];
  test.each(fine)('%s reaches the scheme as it came', async (_what, body) => {
    const seen: unknown[] = [];
    const { url } = await startService({
      verify: async (request) => {
        seen.push(request);
        return { isValid: true };
      },
    });
    const answer = await post(`${url}/verify`, JSON.stringify(body));
    expect(answer).toMatchObject({ status: 200, body: { isValid: true } });
    const { paymentPayload: payload, paymentRequirements: terms } = body as typeof payment;
    const asked = { paymentPayload: payload, paymentRequirements: terms, sender: '127.0.0.1' };
    expect(seen).toEqual([asked]);
  });

  test('query parameters are ignored', async () => {
    const { url } = await startService();
    const answer = await post(`${url}/verify?x402Version=1&paymentPayload=no`, JSON.stringify(payment));
    expect(answer).toMatchObject({ status: 200, body: { isValid: true } });
  });

  test('a settle that names an empty network is answered with the configured one', async () => {
    const { url } = await startService();
    const terms = { ...requirements, network: '' };
    const { body } = await post(`${url}/settle`, JSON.stringify({ ...payment, paymentRequirements: terms }));
    expect(body).toMatchObject({
      errorReason: 'svc_unsupported_kind',
      network: 'stellar:testnet',
    });
  });
});
