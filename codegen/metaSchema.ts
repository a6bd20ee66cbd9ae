import { Ajv2020 } from 'ajv/dist/2020.js';
import standalone from 'ajv/dist/standalone/index.js';

const META_SCHEMA = 'https://json-schema.org/draft/2020-12/schema';

/** Ajv writes requests for its own modules as CommonJS does, also in an ES module. */
const REQUEST = /require\("(ajv\/[^"]+)"\)\.default/g;

/** Returns a module that checks JSON Schemas. To compile this as it starts would take a thread longer than all else. */
export function metaSchemaModule(): string {
  const ajv = new Ajv2020({ strict: false, logger: false, code: { source: true, esm: true } });
  const isSchema = ajv.getSchema(META_SCHEMA);
  if (isSchema === undefined) throw new Error(`Ajv does not know ${META_SCHEMA}`);
  const code = (standalone as unknown as typeof standalone.default)(ajv, isSchema);
  const imports = new Map<string, string>();
  const body = code
    .replace('"use strict";export const validate = validate0;', '')
    .replace(REQUEST, (_request, module: string) => {
      const name = `imported${imports.size}`;
      imports.set(module, name);
      // Loaders differ in what they make of the default export of CommonJS.
      return `(${name}.default ?? ${name})`;
    });
  const lines = [...imports].map(([module, name]) => `import ${name} from '${module}.js';`);
  return ['// @ts-nocheck', ...lines, body, ''].join('\n');
}
