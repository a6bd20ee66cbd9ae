/** The parts of a parsed OpenAPI document that are named here. */
export interface Contract {
  info: { version: string };
  paths: Record<string, unknown>;
  components: { responses: unknown; headers: Record<string, Header> };
}

interface Header {
  $ref?: string;
  schema?: { contentSchema?: unknown };
}

/**
 * Returns the contract with what oasdiff overlooks in places where oasdiff looks. It compares no schema of a header and
 * no `additionalProperties`. So the schemas of the headers become properties of an answer of their own, and each object
 * gets a property `(other fields)`: if the object is closed, an enum of the fields that it has.
 */
export function spellOut(contract: Contract): Contract {
  const spelled = JSON.parse(JSON.stringify(contract), (_, node: unknown) =>
    withOtherFields(node),
  ) as Contract;
  const schema = { type: 'object', properties: headerSchemasIn(spelled) };
  const responses = { 200: { description: 'Headers', content: { 'application/json': { schema } } } };
  return { ...spelled, paths: { ...spelled.paths, '(headers)': { get: { responses } } } };
}

function withOtherFields(node: unknown): unknown {
  if (!isObject(node) || node.type !== 'object' || !isObject(node.properties)) return node;
  const { additionalProperties = true, properties } = node;
  const others = additionalProperties === false ? { enum: Object.keys(properties) } : additionalProperties;
  return { ...node, properties: { ...properties, '(other fields)': others === true ? {} : others } };
}

/** Returns the schemas of all headers by name. If a header's text has a schema inside, returns that one. */
function headerSchemasIn({ paths, components }: Contract): Record<string, unknown> {
  const schemas: Record<string, unknown> = {};
  JSON.stringify([paths, components.responses], (key, node: unknown) => {
    if (key === 'headers' && isObject(node)) {
      for (const [name, header] of Object.entries(node) as [string, Header][]) {
        const component = /^#\/components\/headers\/(.+)$/.exec(header.$ref ?? '')?.[1];
        const { schema } = component ? components.headers[component]! : header;
        schemas[name] = schema?.contentSchema ?? schema;
      }
    }
    return node;
  });
  return schemas;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
