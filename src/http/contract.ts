import type { ErrorObject } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { OpenAPIBackend, ValidationContext } from 'openapi-backend';
import type { Document } from 'openapi-backend';
import { document } from '../contract/index.ts';
import type { Caller, Handlers, OperationId } from '../contract/index.ts';
import { bodyRefusal } from './envelope.ts';
import { queryRefusal, readQuery } from './query.ts';
import type { QueryParameter } from './query.ts';
import type { Refusal, Reply } from './refusal.ts';

/** An operation of the contract, as openapi-backend has read it. */
export interface Operation {
  readonly operationId: OperationId;
  readonly method: string;
  readonly path: string;
  /** All of them are of the query. */
  readonly parameters?: readonly QueryParameter[];
}

/** The contract at work: which operation a request is for, and the handler's answer to it. */
export interface Contract {
  /** `POST /verify` and so on. */
  readonly routes: readonly string[];
  /** HEAD is answered as GET is; the body is dropped on the way out. */
  operationAt(method: string, path: string): Operation | undefined;
  /** Holds a body and a query as it was sent to the contract and hands them to the operation's handler. */
  handle(
    operation: Operation,
    body: unknown,
    query: string,
    caller: Caller,
  ): Promise<Reply | { readonly refusal: Refusal }>;
}

export async function createContract(handlers: Handlers): Promise<Contract> {
  const backend = new Backend31({
    definition: structuredClone(document) as unknown as Document,
    strict: true,
    customizeAjv: oneAjvPerContext(),
  });
  await backend.init();
  simplifyRouting(backend);

  const byRoute = new Map(
    (backend.getOperations() as Operation[]).map((operation) => [routeOf(operation), operation]),
  );
  return {
    routes: [...byRoute.keys()],
    operationAt: (method, path) => byRoute.get(`${method === 'HEAD' ? 'GET' : method} ${path}`),
    async handle({ operationId, method, path, parameters = [] }, body, sentQuery, caller) {
      const read = readQuery(parameters, sentQuery);
      if ('refusal' in read) return read;
      const { query } = read;
      const request = {
        method,
        path,
        body: body as object,
        headers: {},
        query: query as Record<string, string>,
      };
      const { errors } = backend.validateRequest(request, operationId);
      if (errors) return { refusal: schemaRefusal(errors) };
      // That body and query are of the operation's types is what was just validated; the compiler cannot know.
      return handlers[operationId]({ body, query, caller } as never);
    },
  };
}

const routeOf = ({ method, path }: Operation): string => `${method.toUpperCase()} ${path}`;

/** openapi-backend holds documents to the schema of OpenAPI 3.0; the check of the project lints this one as 3.1. */
class Backend31 extends OpenAPIBackend {
  override validateDefinition(): Document {
    return this.document;
  }
}

function schemaRefusal([error]: readonly ErrorObject[]): Refusal {
  if (error === undefined) throw new Error('a refused request has no validation error');
  return error.instancePath.startsWith('/query') ? queryRefusal(error) : bodyRefusal(error);
}

/**
 * Validators in JSON Schema 2020-12, the dialect of OpenAPI 3.1; building an Ajv is dear, so each context shares one.
 * None for answers: only tests hold those to the contract, and compiling theirs would take a fifth of a start.
 */
function oneAjvPerContext() {
  const ajvs = new Map<string, Ajv2020>();
  const noValidation = { compile: () => () => true };
  return (_draft7: unknown, options: object, context: ValidationContext) => {
    if (context !== ValidationContext.RequestBody && context !== ValidationContext.Params)
      return noValidation as never;
    const known = ajvs.get(context);
    if (known) return known as never;
    const ajv = new Ajv2020({ ...options, strict: true, strictTypes: false, allowUnionTypes: true });
    (formats as unknown as typeof formats.default)(ajv);
    ajv.addVocabulary(['example', 'xml', 'externalDocs']);
    ajvs.set(context, ajv);
    return ajv as never;
  };
}

/**
 * The stock router goes through all operations for every request, and parses once more what the app hands over
 * parsed. Paths have no parameters, so a route is found by its text.
 */
function simplifyRouting({ router }: OpenAPIBackend): void {
  const operations = new Map(router.getOperations().map((operation) => [operation.operationId, operation]));
  router.getOperation = (operationId) => operations.get(operationId);
  router.parseRequest = (request) => ({
    ...request,
    headers: {},
    query: request.query as Record<string, string>,
    params: {},
    cookies: {},
    requestBody: request.body as unknown,
  });
}
