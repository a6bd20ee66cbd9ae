import type { Tool } from '@modelcontextprotocol/sdk/types.js';
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { Failure } from './codes.ts';

/** Checks a tool's arguments against its schema. Wrong ones give a result that a model reads, not a protocol error. */
export type ArgumentCheck = (given: unknown) => Failure | undefined;

export function createArgumentChecks(tools: readonly Tool[]): ReadonlyMap<string, ArgumentCheck> {
  const ajv = new Ajv2020({ strictTypes: false });
  return new Map(tools.map(({ name, inputSchema }) => [name, checkBy(ajv.compile(lenient(inputSchema)))]));
}

function checkBy(validate: ValidateFunction): ArgumentCheck {
  return (given) => {
    if (validate(given)) return undefined;
    const [first] = validate.errors ?? [];
    const problem = first === undefined ? 'they do not fit the schema' : problemText(first);
    return new Failure('svc_mcp_invalid_arguments', `The arguments are wrong: ${problem}. Nothing was paid.`);
  };
}

/** Also lets `input` be text, since some models write it so (a text body, or JSON). It is checked where it is used. */
function lenient(schema: Tool['inputSchema']): Tool['inputSchema'] {
  const { input, ...others } = schema.properties ?? {};
  if (input === undefined) return schema;
  return { ...schema, properties: { ...others, input: { type: ['object', 'string'] } } };
}

function problemText({ instancePath, message, params }: ErrorObject): string {
  const place = instancePath === '' ? 'they' : instancePath.slice(1).replaceAll('/', '.');
  const { additionalProperty, allowedValues } = params as {
    additionalProperty?: string;
    allowedValues?: string[];
  };
  if (additionalProperty !== undefined)
    return `${place} must not have ${JSON.stringify(additionalProperty.slice(0, 64))}`;
  return `${place} ${message ?? 'are wrong'}${allowedValues ? `: ${allowedValues.join(', ')}` : ''}`;
}
