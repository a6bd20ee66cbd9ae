/** An OpenAPI document as parsed, or an object inside one. */
export type Json = { [key: string]: unknown };

/** The document that clients were built from, and the one that is to be released. */
export interface Documents {
  before: Json;
  after: Json;
}

/** A change that breaks a client: its place (the name that CHANGELOG.md must quote), the rule, and a text. */
export interface Finding {
  place: string;
  rule: string;
  text: string;
}

export type Report = (place: string, rule: string, text: string) => void;

const maxReferences = 20;

/** Returns the name of the component that a node refers to: `Listing` for a schema, `headers/RequestId` for others. */
export function referenceOf(node: unknown): string | undefined {
  const reference = object(node).$ref;
  if (typeof reference !== 'string') return undefined;
  const [, kind, name] = /^#\/components\/(\w+)\/([^/]+)$/.exec(reference) ?? [];
  if (!kind || !name) throw new Error(`${reference} does not name a component of the contract`);
  return kind === 'schemas' ? name : `${kind}/${name}`;
}

/** Returns the component of this name, which has the form that `referenceOf` gives. */
export function componentOf(document: Json, reference: string): unknown {
  const [name = '', kind = 'schemas'] = reference.split('/').reverse();
  const found = object(object(document.components)[kind])[name];
  if (found === undefined) throw new Error(`the contract has no component ${reference}`);
  return found;
}

/** Returns the object that a node is or refers to. Fields beside a reference override those of the component. */
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

/** Returns the value if it is an object, or else an empty object. */
export function object(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

/** Returns the value if it is an array, or else an empty array. */
export function array(value: unknown): unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : [];
}

/** Returns the names in any of the objects, each once. */
export function namesOf(...objects: Json[]): string[] {
  return [...new Set(objects.flatMap((one) => Object.keys(one)))];
}

/** Returns a value as a finding's text shows it. */
export function show(value: unknown): string {
  const text = value === undefined ? 'absent' : JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}
