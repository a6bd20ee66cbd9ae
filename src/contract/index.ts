// The contract as the rest of the service reads it. All but the shape of a refusal comes from openapi.yaml through
// `npm run codegen`; this file only gives the generated names their everyday form.
import type { PaymentEnvelopeCode, VerifyCode } from './codes.generated.ts';
import type { components, operations } from './types.generated.ts';

export { boundedText } from './boundedText.ts';
export * from './codes.generated.ts';
export { document } from './document.generated.ts';
export * from './operator.ts';
export type { Refusal } from './refusal.ts';

type Schemas = components['schemas'];

/** A seller's terms. Amounts are base units in strings, times are seconds. */
export type PaymentRequirements = Schemas['PaymentRequirements'];
/** The body of verify and settle. */
export type FacilitatorRequest = Schemas['FacilitatorRequest'];
/**
 * The buyer's payment. Only the version has been checked: `accepted`, `payload`, `resource` and `extensions` may be any
 * JSON value. Ask them for fields with `?.` and take nothing for granted.
 */
export type PaymentPayload = Schemas['PaymentPayload'];
export type VerifyResponse = Omit<Schemas['VerifyResponse'], 'invalidReason'> & {
  invalidReason?: InvalidReason;
};
export type SettleResponse = Schemas['SettleResponse'];
export type SupportedResponse = Schemas['SupportedResponse'];
export type SupportedKind = Schemas['SupportedKind'];
export type HealthResponse = Schemas['HealthResponse'];
export type ErrorEnvelope = Schemas['ErrorEnvelope'];
/** The content of the header EXTENSION-RESPONSES, which is base64 of its JSON. */
export type ExtensionResponses = Schemas['ExtensionResponses'];
export type BazaarOutcome = Schemas['BazaarOutcome'];
export type BazaarExtension = Schemas['BazaarExtension'];
export type DiscoveryResource = Schemas['DiscoveryResource'];
export type DiscoveryListResponse = Schemas['DiscoveryListResponse'];
export type Facets = Schemas['Facets'];
export type FacetCounts = Schemas['FacetCounts'];
export type DiscoverySearchResponse = Schemas['DiscoverySearchResponse'];
export type SettlementStatement = Schemas['SettlementStatement'];
/** A JSON Web Key Set. */
export type ReceiptKeys = Schemas['ReceiptKeys'];
export type SettledPayment = Schemas['SettledPayment'];
/** What is known of a settlement. */
export type SettlementStatus = Schemas['SettlementStatus'];
/** The codes in `invalidReason`: those of the scheme, and the service's own. */
export type InvalidReason = VerifyCode | PaymentEnvelopeCode;
/** The codes in `errorReason`. */
export type ErrorReason = Schemas['ReasonCode'];

/**
 * A JSON body that was encoded elsewhere, as UTF-8: it is sent as it is. `Body` is the type of what the text holds;
 * `of` is never there.
 */
export interface Encoded<Body> {
  readonly json: Uint8Array;
  /** The rest of a large body, made as it is read. If it throws, the body is not complete. */
  readonly rest?: AsyncIterable<Uint8Array>;
  readonly of?: Body;
}

/** A body for browsers, which is sent as it is. */
export interface Page {
  readonly contentType: string;
  readonly text: string;
}

/** Every operation of the contract. */
export type OperationId = keyof operations;
/** What recipients may do about their own listings and settlements. */
export type SellerOperation = ListingOperation | 'listSettlements';
/** The operations by which recipients change one of their listings. */
export type ListingOperation = 'hideListing' | 'restoreListing' | 'describeListing' | 'confirmListing';
/** The operations that are served only if the operator wants them. */
type OptionalOperation = SellerOperation | 'getReceiptKeys';

/** True for the operations that take a payment. */
export function isPayment(operationId: OperationId): boolean {
  return operationId === 'verifyPayment' || operationId === 'settlePayment';
}

type Json<T> = T extends { content: { 'application/json': infer Body } } ? Body : undefined;
type BodyOf<Operation> = Operation extends { requestBody: infer Request } ? Json<Request> : undefined;
type QueryOf<Operation> = Operation extends { parameters: { query?: infer Query } }
  ? [Exclude<Query, undefined>] extends [never]
    ? Record<never, never>
    : Exclude<Query, undefined>
  : never;
type PageOf<T> = T extends { content: { 'text/html': string } } ? Page : never;
type ReplyOf<Responses> = {
  [Status in keyof Responses]: {
    status: Status;
    body: Json<Responses[Status]> | Encoded<Json<Responses[Status]>> | PageOf<Responses[Status]>;
    headers?: Record<string, string>;
  };
}[keyof Responses];

/** The client that waits for an answer. */
export interface Caller {
  /** Its requests count for this name: that of its key, or its address. */
  readonly name: string;
  /** The id of its key; undefined if it has shown none. */
  readonly keyId: string | undefined;
  /** Names the request in the log and the journal. */
  readonly requestId: string;
  /** True if it asks for HTML rather than JSON. */
  readonly prefersPage: boolean;
  /** The header `Idempotency-Key` of a settle; undefined if it was not sent. */
  readonly idempotencyKey: string | undefined;
  /** Fires when the client no longer waits. */
  readonly gone: AbortSignal;
}

/** The input of a handler: a body and a query that were checked against the contract. */
export interface In<Id extends OperationId> {
  body: BodyOf<operations[Id]>;
  query: QueryOf<operations[Id]>;
  caller: Caller;
}

/**
 * The answer of a handler: a documented status with its body. The 404 for unknown routes is the router's; only sellers ask
 * for something that may be unknown.
 */
export type Out<Id extends OperationId> = ReplyOf<
  Omit<operations[Id]['responses'], Id extends SellerOperation ? never : 404>
>;

type Handler<Id extends OperationId> = (input: In<Id>) => Out<Id> | Promise<Out<Id>>;

/** One handler per operation that is served: a missing one, a wrong status or a wrong body does not compile. */
export type Handlers = { [Id in Exclude<OperationId, OptionalOperation>]: Handler<Id> } & {
  [Id in OptionalOperation]?: Handler<Id>;
};
