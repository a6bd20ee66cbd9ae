/**
 * An estimate of what holding `info` to a client's schema costs, quick to make for any JSON values: in characters
 * squared, and infinite for a schema that may visit a part of `info` again and again.
 */
export function evaluationCost(schema: unknown, info: unknown): number {
  const text = textOf(schema);
  return REVISITING.test(text) ? Infinity : text.length * textOf(info).length;
}

/** Keywords that visit a part of `info` again and again. A parameter of that name costs only the guard. */
const REVISITING = /"(?:\$ref|\$dynamicRef|\$recursiveRef|uniqueItems)":/;

/** Empty for what is no JSON. */
function textOf(value: unknown): string {
  return JSON.stringify(value) ?? '';
}
