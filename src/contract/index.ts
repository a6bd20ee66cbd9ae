// The contract as the rest of the service reads it. All but the shape of a refusal comes from openapi.yaml through
// `npm run codegen`; this file only gives the generated names their everyday form.
import type { PaymentEnvelopeCode, VerifyCode } from './codes.generated.ts';
import type { components, operations } from './types.generated.ts';

export * from './codes.generated.ts';
export { document } from './document.generated.ts';
export type { Refusal } from './refusal.ts';

type Schemas = components['schemas'];

/** What a seller asks (specification 2.1). Amounts are base units in strings, times are seconds. */
export type PaymentRequirements = Schemas['PaymentRequirements'];
/** The body of verify and settle (2.2). */
export type FacilitatorRequest = Schemas['FacilitatorRequest'];
/**
 * The buyer's payment (2.2). Below the version nothing is checked yet: `accepted`, `payload`, `resource` and
 * `extensions` may be any JSON value. Ask them for fields with `?.` and take nothing for granted.
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
/** What the header EXTENSION-RESPONSES holds, as base64 of JSON (4.2). */
export type ExtensionResponses = Schemas['ExtensionResponses'];
export type BazaarOutcome = Schemas['BazaarOutcome'];
export type BazaarExtension = Schemas['BazaarExtension'];
export type DiscoveryResource = Schemas['DiscoveryResource'];
export type DiscoveryListResponse = Schemas['DiscoveryListResponse'];
export type DiscoverySearchResponse = Schemas['DiscoverySearchResponse'];
/** What `invalidReason` can hold: a scheme code, or one of the service's own. */
export type InvalidReason = VerifyCode | PaymentEnvelopeCode;
/** What `errorReason` can hold. */
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

/** Every operation of the contract; all of them are served. */
export type OperationId = keyof operations;

type Json<T> = T extends { content: { 'application/json': infer Body } } ? Body : undefined;
type BodyOf<Operation> = Operation extends { requestBody: infer Request } ? Json<Request> : undefined;
type QueryOf<Operation> = Operation extends { parameters: { query?: infer Query } }
  ? [Exclude<Query, undefined>] extends [never]
    ? Record<never, never>
    : Exclude<Query, undefined>
  : never;
type ReplyOf<Responses> = {
  [Status in keyof Responses]: {
    status: Status;
    body: Json<Responses[Status]> | Encoded<Json<Responses[Status]>>;
    headers?: Record<string, string>;
  };
}[keyof Responses];

/** The client that waits for an answer. */
export interface Caller {
  /** Its requests count for this address. */
  readonly address: string;
  /** Fires when it waits no longer. */
  readonly gone: AbortSignal;
}

/** What a handler is given: the body and the query, already held to the contract. */
export interface In<Id extends OperationId> {
  body: BodyOf<operations[Id]>;
  query: QueryOf<operations[Id]>;
  caller: Caller;
}

/** What a handler may answer: a documented status with its body. The 404 for unknown routes is the router's. */
export type Out<Id extends OperationId> = ReplyOf<Omit<operations[Id]['responses'], 404>>;

/** One handler per operation: a missing one, a wrong status or a wrong body does not compile. */
export type Handlers = {
  [Id in OperationId]: (input: In<Id>) => Out<Id> | Promise<Out<Id>>;
};
