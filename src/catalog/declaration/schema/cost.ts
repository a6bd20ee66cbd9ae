/**
 * Estimates the cost of validating `info` against a client's schema, in characters squared. Returns infinity if the
 * schema may visit a part of `info` again and again. The estimate is quick for any JSON values.
 */
export function evaluationCost(schema: unknown, info: unknown): number {
  const text = textOf(schema);
  return REVISITING.test(text) ? Infinity : text.length * textOf(info).length;
}

/**
 * Matches keywords that visit a part of `info` again and again. Also matches parameters with such names: their schemas
 * then count as costly.
 */
const REVISITING = /"(?:\$ref|\$dynamicRef|\$recursiveRef|uniqueItems)":/;

/** Returns an empty text if the value is not JSON. */
function textOf(value: unknown): string {
  return JSON.stringify(value) ?? '';
}
