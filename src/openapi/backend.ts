/** Adapts openapi-backend, which knows OpenAPI 3.0, to contracts of OpenAPI 3.1. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { OpenAPIBackend, ValidationContext, type Document, type Options } from 'openapi-backend';

/** Creates a backend for a contract. It checks requests, and no answers. */
export function createBackend(document: object, options: Omit<Options, 'definition'> = {}): OpenAPIBackend {
  return new Backend31({
    definition: structuredClone(document) as Document,
    strict: true,
    customizeAjv: oneAjvPerContext(),
    ...options,
  });
}

/** Skips the check of the document: openapi-backend checks for OpenAPI 3.0. The project lints its documents as 3.1. */
class Backend31 extends OpenAPIBackend {
  override validateDefinition(): Document {
    return this.document;
  }
}

/**
 * Returns validators for JSON Schema 2020-12, the dialect of OpenAPI 3.1. Building an Ajv is costly, so each context
 * shares one. Answers are not validated: only tests do that, and compiling those validators would take a fifth of the
 * startup time.
 */
function oneAjvPerContext() {
  const ajvs = new Map<string, Ajv2020>();
  const noValidation = { compile: () => () => true };
  return (_draft7: unknown, options: object, context: ValidationContext) => {
    if (context !== ValidationContext.RequestBody && context !== ValidationContext.Params)
      return noValidation as never;
    const known = ajvs.get(context);
    if (known) return known as never;
    const ajv = new Ajv2020({
      ...options,
      strict: true,
      strictTypes: false,
      allowUnionTypes: true,
      validateSchema: false,
    });
    (formats as unknown as typeof formats.default)(ajv);
    ajv.addVocabulary(['example', 'xml', 'externalDocs']);
    ajvs.set(context, ajv);
    return ajv as never;
  };
}
