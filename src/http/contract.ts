import type { ErrorObject } from 'ajv';
import type { OpenAPIBackend } from 'openapi-backend';
import { document, type Caller, type Handlers, type OperationId } from '../contract/index.ts';
import { createBackend } from '../openapi/backend.ts';
import { bodyRefusal } from './envelope.ts';
import { queryRefusal, readQuery, type QueryParameter } from './query.ts';
import { refuse, type HttpRefusal, type Reply } from './refusal.ts';

/** An operation of the contract, as openapi-backend reads it. */
export interface Operation {
  readonly operationId: OperationId;
  readonly method: string;
  readonly path: string;
  readonly parameters?: readonly QueryParameter[];
}

/** Finds the operation that a request is for, and gets its handler's answer. */
export interface Contract {
  /** Such as `POST /verify`. */
  readonly routes: readonly string[];
  /** Treats HEAD as GET. The body is dropped on the way out. */
  operationAt(method: string, path: string): Operation | undefined;
  /** Throws if there is none, or if nobody serves it. */
  operationOf(operationId: OperationId): Operation;
  /** Checks a body, a query as it was sent, and the caller's header against the contract. Hands them to the operation's handler. */
  handle(operation: Operation, body: unknown, query: string, caller: Caller): Promise<Reply | HttpRefusal>;
}

export async function createContract(handlers: Handlers): Promise<Contract> {
  const backend = createBackend(document);
  await backend.init();
  simplifyRouting(backend);

  const byRoute = new Map(
    (backend.getOperations() as Operation[])
      .filter(({ operationId }) => handlers[operationId] !== undefined)
      .map((operation) => [routeOf(operation), operation]),
  );
  return {
    routes: [...byRoute.keys()],
    operationAt: (method, path) => byRoute.get(`${method === 'HEAD' ? 'GET' : method} ${path}`),
    operationOf(operationId) {
      const found = [...byRoute.values()].find((operation) => operation.operationId === operationId);
      if (found === undefined) throw new Error(`${operationId} is not served`);
      return found;
    },
    async handle({ operationId, method, path, parameters = [] }, body, sentQuery, caller) {
      const read = readQuery(parameters, sentQuery);
      if ('code' in read) return read;
      const { query } = read;
      const request = {
        method,
        path,
        body: body as object,
        headers: headersOf(caller),
        query: query as Record<string, string>,
      };
      const { errors } = backend.validateRequest(request, operationId);
      if (errors) return schemaRefusal(errors);
      // The check above proved that body and query have the operation's types, which the compiler cannot know.
      return handlers[operationId]!({ body, query, caller } as never);
    },
  };
}

/** Returns the only header that the contract describes and the app does not read itself. */
const headersOf = ({ idempotencyKey }: Caller): Record<string, string> =>
  idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey };

const routeOf = ({ method, path }: Operation): string => `${method.toUpperCase()} ${path}`;

function schemaRefusal([error]: readonly ErrorObject[]): HttpRefusal {
  if (error === undefined) throw new Error('a refused request has no validation error');
  if (error.instancePath.startsWith('/header')) return refuse(400, 'svc_invalid_idempotency_key');
  return error.instancePath.startsWith('/query') ? queryRefusal(error) : bodyRefusal(error);
}

/**
 * Replaces the stock router, which goes through all operations for every request, and parses what the app has already
 * parsed. Paths have no parameters, so a route is found by its text.
 */
function simplifyRouting({ router }: OpenAPIBackend): void {
  const operations = new Map(router.getOperations().map((operation) => [operation.operationId, operation]));
  router.getOperation = (operationId) => operations.get(operationId);
  router.parseRequest = (request) => ({
    ...request,
    headers: request.headers as Record<string, string>,
    query: request.query as Record<string, string>,
    params: {},
    cookies: {},
    requestBody: request.body as unknown,
  });
}
