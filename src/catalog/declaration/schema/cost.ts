/**
 * Estimates the cost of validating `info` against a client's schema, quickly for any JSON values. In characters squared;
 * infinite if the schema may visit a part of `info` again and again.
 */
export function evaluationCost(schema: unknown, info: unknown): number {
  const text = textOf(schema);
  return REVISITING.test(text) ? Infinity : text.length * textOf(info).length;
}

/** Keywords that visit a part of `info` again and again. A parameter with such a name only adds the guard. */
const REVISITING = /"(?:\$ref|\$dynamicRef|\$recursiveRef|uniqueItems)":/;

/** Empty if the value is not JSON. */
function textOf(value: unknown): string {
  return JSON.stringify(value) ?? '';
}
