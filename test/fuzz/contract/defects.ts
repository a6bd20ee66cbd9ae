/** Good payments with one thing wrong, and the code that the contract's tables give it. */
import type { FacilitatorRequest } from '../../../src/contract/index.ts';
import { NATIVE, USDC_ISSUER } from '../../support/payments.ts';

/** Open to be spoiled in every part. */
type Spoilable = any;

export interface TermsDefect {
  readonly rule: string;
  readonly code: string;
  /** The payer can be read from the payment, whatever is wrong with it. */
  readonly showsPayer: boolean;
  spoil(payment: Spoilable): FacilitatorRequest;
}

function terms(field: string, value: unknown, code: string, showsPayer = true): TermsDefect {
  return {
    rule: `paymentRequirements.${field} is ${JSON.stringify(value)}`,
    code,
    showsPayer,
    spoil: (payment) => ({
      ...payment,
      paymentRequirements: { ...payment.paymentRequirements, [field]: value },
    }),
  };
}

function payload(field: string, value: unknown, code: string, showsPayer = false): TermsDefect {
  return {
    rule: `paymentPayload.${field} is ${JSON.stringify(value)?.slice(0, 60)}`,
    code,
    showsPayer,
    spoil({ paymentPayload, ...rest }) {
      const [outer, inner] = field.split('.');
      const changed = inner === undefined ? value : { ...paymentPayload[outer!], [inner]: value };
      return { ...rest, paymentPayload: { ...paymentPayload, [outer!]: changed } };
    },
  };
}

/** `payload.transaction` as another text. */
function rewritten(rule: string, rewrite: (transaction: string) => string): TermsDefect {
  return {
    rule: `paymentPayload.payload.transaction ${rule}`,
    code: MALFORMED,
    showsPayer: false,
    spoil({ paymentPayload, ...rest }) {
      const transaction = rewrite(String(paymentPayload.payload?.transaction));
      return { ...rest, paymentPayload: { ...paymentPayload, payload: { transaction } } };
    },
  };
}

const WRONG = 'invalid_exact_stellar_payload_wrong_';
const MALFORMED = 'invalid_exact_stellar_payload_malformed';

export const TERMS_DEFECTS: readonly TermsDefect[] = [
  ...[
    '100001',
    '99999',
    '200000',
    '0',
    '1',
    '-100000',
    '100000.0',
    '0100000',
    '1e5',
    ' 100000',
    '',
    '9'.repeat(60),
    'NaN',
  ].map((amount) => terms('amount', amount, `${WRONG}amount`)),
  ...[USDC_ISSUER, NATIVE, 'nobody', ''].map((payTo) => terms('payTo', payTo, `${WRONG}recipient`)),
  ...[NATIVE, USDC_ISSUER, 'no asset', ''].map((asset) => terms('asset', asset, `${WRONG}asset`, false)),
  ...['upto', 'Exact', ''].map((scheme) => terms('scheme', scheme, 'svc_unsupported_kind', false)),
  ...['stellar:pubnet', 'eip155:8453', 'stellar'].map((network) =>
    terms('network', network, 'svc_unsupported_kind', false),
  ),
  ...[1, 0, -1, 0.5].map((seconds) =>
    terms('maxTimeoutSeconds', seconds, 'invalid_exact_stellar_signature_expiration_too_far'),
  ),
  payload('accepted.scheme', 'upto', 'unsupported_scheme'),
  payload('accepted.network', 'stellar:pubnet', 'network_mismatch'),
  payload('payload', null, MALFORMED),
  payload('payload', {}, MALFORMED),
  payload('payload.transaction', 'AAAA', MALFORMED),
  payload('payload.transaction', '', MALFORMED),
  payload('payload.transaction', 7, MALFORMED),
  payload('payload.transaction', ['AAAA'], MALFORMED),
  ...['\n', ' ', 'AAAA', '=', '!'].map((end) =>
    rewritten(`has ${JSON.stringify(end)} at its end`, (text) => text + end),
  ),
  rewritten('begins with a space', (text) => ` ${text}`),
  rewritten('is cut short', (text) => text.slice(0, -4)),
];

export interface ListingDefect {
  readonly rule: string;
  readonly code: string;
  /** `another` is a payment to somebody else. */
  spoil(payment: Spoilable, another: Spoilable): FacilitatorRequest;
}

const SCHEMA_NODES = 2_000;

function declared(rule: string, code: string, spoil: (paymentPayload: Spoilable) => void): ListingDefect {
  return {
    rule,
    code,
    spoil(payment) {
      spoil(payment.paymentPayload);
      return payment;
    },
  };
}

export const LISTING_DEFECTS: readonly ListingDefect[] = [
  declared('bazaar is a text', 'bazaar_extension_not_object', (paymentPayload) => {
    paymentPayload.extensions.bazaar = 'a text';
  }),
  ...['info', 'schema'].map((name) =>
    declared(`bazaar has no ${name}`, 'bazaar_extension_not_object', (paymentPayload) => {
      delete paymentPayload.extensions.bazaar[name];
    }),
  ),
  declared('bazaar is null', 'bazaar_extension_not_object', (paymentPayload) => {
    paymentPayload.extensions.bazaar = null;
  }),
  declared('extensions are larger than 64 KiB by a byte', 'bazaar_extensions_too_large', ({ extensions }) => {
    extensions.note = '';
    extensions.note = 'x'.repeat(64 * 1024 + 1 - JSON.stringify(extensions).length);
  }),
  declared('info names a type that is none', 'bazaar_spec_validation_failed', (paymentPayload) => {
    paymentPayload.extensions.bazaar.info.input.type = 'carrier pigeon';
  }),
  declared('info does not satisfy its schema', 'bazaar_schema_validation_failed', (paymentPayload) => {
    paymentPayload.extensions.bazaar.schema.required = ['nothing of the kind'];
  }),
  declared('the schema has too many nodes', 'bazaar_schema_too_complex', (paymentPayload) => {
    paymentPayload.extensions.bazaar.schema.examples = Array(SCHEMA_NODES).fill(1);
  }),
  ...[null, undefined, 'https://example.com/', []].map((resource) =>
    declared(`resource is ${JSON.stringify(resource)}`, 'bazaar_resource_url_invalid', (paymentPayload) => {
      paymentPayload.resource = resource;
    }),
  ),
  ...['ftp://example.com/file', '/lookup', 'https://name:word@example.com/', '', null].map((url) =>
    declared(`the address is ${JSON.stringify(url)}`, 'bazaar_resource_url_invalid', (paymentPayload) => {
      paymentPayload.resource.url = url;
    }),
  ),
  {
    rule: 'the listing belongs to somebody else',
    code: 'bazaar_listing_owned_by_other_payee',
    spoil({ paymentPayload: { resource, extensions } }, another) {
      return { ...another, paymentPayload: { ...another.paymentPayload, resource, extensions } };
    },
  },
];
