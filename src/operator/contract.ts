import type { ErrorObject } from 'ajv';
import type { Request } from 'openapi-backend';
import {
  operatorDocument,
  type OperatorHandlers,
  type OperatorIn,
  type OperatorOperationId,
  type OperatorRefusal,
  type TextBody,
} from '../contract/index.ts';
import { decodes } from '../net/decodes.ts';
import { createBackend } from '../openapi/backend.ts';
import { refuse } from './refusal.ts';

export interface Reply {
  readonly status: number;
  readonly body: object | TextBody | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

type Asking = Omit<OperatorIn<OperatorOperationId>, 'query' | 'path' | 'body'>;

/** An answer of openapi-backend, whose types say `any`. */
interface Checked {
  readonly errors?: readonly ErrorObject[] | null;
  /** The parameters, with numbers and booleans instead of their texts. */
  readonly coerced: Readonly<Record<'query' | 'params', unknown>>;
}

/** Finds the operation that a request is for, checks the request, and gets the handler's answer. */
export async function createOperatorContract(handlers: OperatorHandlers) {
  const backend = createBackend(operatorDocument, { coerceTypes: true });
  await backend.init();
  const { router } = backend;
  return {
    operationAt: (request: Request): OperatorOperationId | undefined =>
      router.matchOperation(request)?.operationId as OperatorOperationId | undefined,
    async handle(
      operationId: OperatorOperationId,
      request: Request,
      asking: Asking,
    ): Promise<Reply | OperatorRefusal> {
      // The backend decodes parameters of the path, and throws if it cannot.
      if (!decodes(request.path))
        return refuse('op_invalid_request', 'The path has a % that begins no escape of UTF-8.');
      const { errors, coerced } = backend.validateRequest(request, operationId) as Checked;
      if (errors?.[0] !== undefined) return invalid(errors[0]);
      const { query, params: path } = coerced;
      // The check above proved that all of it has the operation's types, which the compiler cannot know.
      return handlers[operationId]({ query, path, body: request.body as unknown, ...asking } as never);
    },
  };
}

function invalid({ instancePath, params, message = 'is not allowed' }: ErrorObject): OperatorRefusal {
  const { missingProperty, additionalProperty } = params as Record<string, string | undefined>;
  const names = instancePath.split('/').slice(2);
  const name = [...names, missingProperty ?? additionalProperty ?? []].flat().join('/').slice(0, 64);
  return refuse('op_invalid_request', `${name === '' ? 'The body' : name} ${message}.`);
}
