import type {
  BazaarOutcome,
  ExtensionResponses,
  FacilitatorRequest,
  PaymentRequirements,
} from '../../src/contract/index.ts';
import { bazaar } from '../catalog/settledPayments.ts';
import { requestFor, signTransfer, type TransferTerms } from '../support/payments.ts';
import type { Deserved, Payment } from './oracle/facts.ts';

/** Describes a resource, as a payment does. */
export interface Declaration {
  readonly url: string;
  readonly description: string;
  readonly deserves: Deserved;
}

/** Returns what a seller sends for a signed transaction, with the extension that `deserves` asks for. */
export function requestDeclaring(
  { url, description, deserves }: Declaration,
  requirements: PaymentRequirements,
  transaction: string,
): FacilitatorRequest {
  const { paymentPayload, ...request } = requestFor(requirements, transaction);
  const extensions = {
    'a listing': { bazaar },
    'a refusal': { bazaar: { info: bazaar.info } },
    nothing: undefined,
  }[deserves];
  const declared = { resource: { url, description }, ...(extensions && { extensions }) };
  return { ...request, paymentPayload: { ...paymentPayload, ...declared } };
}

/** Signs a payment that nobody has asked for yet. */
export function newPayment(terms: TransferTerms, declaration: Declaration): Payment {
  const { key, requirements, expiration, nonce } = terms;
  return {
    authorization: `${key.publicKey()}:${nonce}`,
    expiration,
    request: requestDeclaring(declaration, requirements, signTransfer(terms)),
    deserves: declaration.deserves,
    asked: 0,
    answers: [],
  };
}

/** Reads the header `EXTENSION-RESPONSES` of an answer. */
export function outcomeIn(header: string | undefined): BazaarOutcome | undefined {
  if (header === undefined) return undefined;
  return (JSON.parse(Buffer.from(header, 'base64').toString()) as ExtensionResponses).bazaar;
}
