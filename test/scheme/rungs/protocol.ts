import type { Attempt } from '../../support/paymentsAttempt.ts';
import { OTHER_NETWORK } from '../../support/playedNetwork.ts';
import type { Rung } from './rung.ts';

/** What the payload says around its transaction. */
export const protocolRungs: readonly Rung[] = [
  {
    code: 'invalid_x402_version',
    reached: 'scheme itself',
    answeredFirst: 'svc_unsupported_x402_version',
    defects: [
      { name: 'version 1', spoil: ({ request }) => void (request.paymentPayload.x402Version = 1) },
      { name: 'version 3', spoil: ({ request }) => void (request.paymentPayload.x402Version = 3) },
    ],
  },
  {
    code: 'unsupported_scheme',
    reached: 'HTTP',
    defects: [
      { name: 'another scheme accepted', spoil: ({ request }) => void accepted(request).scheme('upto') },
      { name: 'no scheme accepted', spoil: ({ request }) => void accepted(request).scheme(undefined) },
      { name: 'EXACT', spoil: ({ request }) => void accepted(request).scheme('EXACT') },
    ],
  },
  {
    code: 'network_mismatch',
    reached: 'HTTP',
    defects: [
      {
        name: 'another network accepted',
        spoil: ({ request }) => void accepted(request).network(OTHER_NETWORK),
      },
      { name: 'no network accepted', spoil: ({ request }) => void accepted(request).network(undefined) },
    ],
  },
  {
    code: 'invalid_network',
    reached: 'scheme itself',
    answeredFirst: 'svc_unsupported_kind',
    defects: [
      {
        name: 'an unknown Stellar network',
        spoil: ({ request }) => everywhere(request, 'stellar:futurenet'),
      },
      { name: 'a network of another family', spoil: ({ request }) => everywhere(request, 'eip155:8453') },
      { name: 'a name that objects inherit', spoil: ({ request }) => everywhere(request, 'constructor') },
    ],
  },
  {
    code: 'invalid_exact_stellar_payload_malformed',
    reached: 'HTTP',
    defects: [
      { name: 'no transaction', spoil: (attempt) => void (attempt.transaction = () => undefined) },
      { name: 'a transaction that is no text', spoil: (attempt) => void (attempt.transaction = () => 7) },
      { name: 'an empty transaction', spoil: (attempt) => void (attempt.transaction = () => '') },
      { name: 'text that is not base64', spoil: (attempt) => void (attempt.transaction = () => '!!!!') },
      { name: 'base64 of no envelope', spoil: (attempt) => void (attempt.transaction = () => 'AAAAAAAA') },
      {
        name: 'an envelope cut off',
        spoil: (attempt) => void (attempt.transaction = (encoded) => encoded.slice(0, 400)),
      },
    ],
  },
];

function accepted(request: Attempt['request']) {
  const set = (field: string) => (value: unknown) => {
    request.paymentPayload.accepted[field] = value;
  };
  return { scheme: set('scheme'), network: set('network') };
}

function everywhere(request: Attempt['request'], network: string): void {
  request.paymentPayload.accepted.network = network;
  request.paymentRequirements.network = network;
}
