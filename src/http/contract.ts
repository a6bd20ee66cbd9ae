import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { OpenAPIBackend } from 'openapi-backend';
import type { Document } from 'openapi-backend';
import { document, servedOperations } from '../contract/index.ts';
import type { Handlers, ServedOperationId } from '../contract/index.ts';
import { schemaRefusal } from './envelope.ts';
import type { Refusal, Reply } from './refusal.ts';

/** An operation of the contract, as openapi-backend has read it. */
export interface ServedOperation {
  readonly operationId: ServedOperationId;
  readonly method: string;
  readonly path: string;
}

/** The served part of the contract: which operation a request is for, and the handler's answer to it. */
export interface Contract {
  /** `POST /verify` and so on. */
  readonly routes: readonly string[];
  operationAt(method: string, path: string): ServedOperation | undefined;
  /** Holds a body to the contract and hands it to the operation's handler. */
  handle(operation: ServedOperation, body: unknown): Promise<Reply | { readonly refusal: Refusal }>;
}

export async function createContract(handlers: Handlers): Promise<Contract> {
  const backend = new Backend31({
    definition: servedDocument(),
    strict: true,
    customizeAjv: oneAjvPerContext(),
  });
  await backend.init();
  simplifyRouting(backend);

  const byRoute = new Map(
    (backend.getOperations() as ServedOperation[]).map((operation) => [routeOf(operation), operation]),
  );
  return {
    routes: [...byRoute.keys()],
    operationAt: (method, path) => byRoute.get(`${method} ${path}`),
    async handle({ operationId, method, path }, body) {
      const request = { method, path, body: body as object, headers: {}, query: {} };
      const { errors } = backend.validateRequest(request, operationId);
      if (errors) return { refusal: schemaRefusal(errors) };
      // That the body is of the operation's type is what was just validated; the compiler cannot know.
      return handlers[operationId]({ body, query: request.query } as never);
    },
  };
}

const routeOf = ({ method, path }: ServedOperation): string => `${method.toUpperCase()} ${path}`;

/** openapi-backend holds documents to the schema of OpenAPI 3.0; the check of the project lints this one as 3.1. */
class Backend31 extends OpenAPIBackend {
  override validateDefinition(): Document {
    return this.document;
  }
}

function servedDocument(): Document {
  const served = new Set<string>(servedOperations.map(({ path }) => path));
  const { paths, ...rest } = structuredClone(document) as unknown as Document;
  return {
    ...rest,
    paths: Object.fromEntries(Object.entries(paths ?? {}).filter(([path]) => served.has(path))),
  } as Document;
}

/** Validators in JSON Schema 2020-12, the dialect of OpenAPI 3.1; building an Ajv is dear, so each context shares one. */
function oneAjvPerContext() {
  const ajvs = new Map<string, Ajv2020>();
  return (_draft7: unknown, options: object, context: string) => {
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
 * parsed. Served paths have no parameters, so a route is found by its text.
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
