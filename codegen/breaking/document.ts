/** An OpenAPI document as parsed, or an object inside one. */
export type Json = { [key: string]: unknown };

/** The document that clients were built from, and the one that is to be released. */
export interface Documents {
  before: Json;
  after: Json;
}

/** A change that breaks a client: where (the name that CHANGELOG.md must quote), by which rule, and in words. */
export interface Finding {
  place: string;
  rule: string;
  text: string;
}

export type Report = (place: string, rule: string, text: string) => void;

const maxReferences = 20;

/** The name of the component that a node refers to: `Listing` for a schema, else with its kind, `headers/RequestId`. */
export function referenceOf(node: unknown): string | undefined {
  const reference = object(node).$ref;
  if (typeof reference !== 'string') return undefined;
  const [, kind, name] = /^#\/components\/(\w+)\/([^/]+)$/.exec(reference) ?? [];
  if (!kind || !name) throw new Error(`${reference} does not name a component of the contract`);
  return kind === 'schemas' ? name : `${kind}/${name}`;
}

/** The component of this name, as `referenceOf` gives it. */
export function componentOf(document: Json, reference: string): unknown {
  const [name = '', kind = 'schemas'] = reference.split('/').reverse();
  const found = object(object(document.components)[kind])[name];
  if (found === undefined) throw new Error(`the contract has no component ${reference}`);
  return found;
}

/** The object that a node is or refers to. What stands beside a reference counts before what it refers to. */
export function resolve(document: Json, node: unknown): Json {
  let found = object(node);
  for (let step = 0; step < maxReferences; step++) {
    const reference = referenceOf(found);
    if (reference === undefined) return found;
    const { $ref: _, ...beside } = found;
    found = { ...object(componentOf(document, reference)), ...beside };
  }
  throw new Error(`more than ${maxReferences} references follow each other in the contract`);
}

/** The value if it is an object, else an empty one. */
export function object(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

/** The value if it is an array, else an empty one. */
export function array(value: unknown): unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : [];
}

/** The names that any of the objects has, each once. */
export function namesOf(...objects: Json[]): string[] {
  return [...new Set(objects.flatMap((one) => Object.keys(one)))];
}

/** A value as a finding's text shows it. */
export function show(value: unknown): string {
  const text = value === undefined ? 'absent' : JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}
