// The contract of the operator's port as the rest of the service reads it. It comes from operator.openapi.yaml through
// `npm run codegen`; this file only gives the generated names their everyday form.
import type { components, operations } from './operatorTypes.generated.ts';

export { operatorDocument } from './operatorDocument.generated.ts';

type Schemas = components['schemas'];

/** A settlement as the operator's port shows it. */
export type ShownSettlement = Schemas['Settlement'];
export type SettlementStatus = Schemas['SettlementStatus'];
export type Readiness = Schemas['Readiness'];
export type CheckName = Schemas['CheckName'];
export type Overview = Schemas['Overview'];
/** Something that was done to a listing, as the operator's port shows it. */
export type ShownAct = Schemas['Act'];
export type ShownWebhooks = Schemas['WebhooksState'];
export type ShownProgress = Schemas['WebhookProgress'];
export type OperatorErrorCode = Schemas['OperatorErrorCode'];

export type OperatorOperationId = keyof operations;

/** An answer that is not JSON, such as a table: a text, or its pieces as they are made. */
export interface TextBody {
  readonly contentType: string;
  readonly text: string | AsyncIterable<string>;
}

type ContentOf<Answer> = Answer extends { content: { 'application/json': infer Body } }
  ? Body
  : Answer extends { content: object }
    ? TextBody
    : undefined;

type Answers<Responses> = {
  [Status in keyof Responses & number]: {
    status: Status;
    body: ContentOf<Responses[Status]>;
    headers?: Record<string, string>;
  };
}[keyof Responses & number];

type ParametersOf<Operation, Place extends string> = Operation extends {
  parameters: { [Key in Place]?: infer Parameters };
}
  ? [Exclude<Parameters, undefined>] extends [never]
    ? Record<never, never>
    : Exclude<Parameters, undefined>
  : never;

/** The input of a handler: what was checked against the contract. */
export interface OperatorIn<Id extends OperatorOperationId> {
  readonly query: ParametersOf<operations[Id], 'query'>;
  readonly path: ParametersOf<operations[Id], 'path'>;
  readonly body: operations[Id] extends { requestBody: { content: { 'application/json': infer Body } } }
    ? Body
    : undefined;
  /** The value of the session's cookie; undefined if the request has none. */
  readonly session: string | undefined;
  /** True if a page that came over https asks. A proxy in front of the port then speaks TLS. */
  readonly isFromHttps: boolean;
  /** True if the operator asks. Only what is open to all is also answered to others. */
  readonly isOperator: boolean;
  /** Fires when the client no longer waits. */
  readonly gone: AbortSignal;
  /** Returns false once the request would be refused, such as after the end of its session. */
  readonly isStillAllowed: () => boolean;
}

export type OperatorOut<Id extends OperatorOperationId> = Answers<operations[Id]['responses']>;

/** Why a request is not answered as it wishes. */
export interface OperatorRefusal {
  readonly code: OperatorErrorCode;
  readonly message: string;
}

/** One handler per operation: a missing one, a wrong status or a wrong body does not compile. */
export type OperatorHandlers = {
  [Id in OperatorOperationId]: (
    input: OperatorIn<Id>,
  ) => OperatorOut<Id> | OperatorRefusal | Promise<OperatorOut<Id> | OperatorRefusal>;
};
