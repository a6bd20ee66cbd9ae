const SHOWN_CHARS = 300;

/** A complaint where two values are not the same; the order of fields means nothing. */
export function differs(what: string, found: unknown, expected: unknown): string[] {
  const [one, two] = [canonical(found), canonical(expected)];
  return one === two ? [] : [`${what}: ${one.slice(0, SHOWN_CHARS)} instead of ${two.slice(0, SHOWN_CHARS)}`];
}

/** JSON in which the order of fields does not show. */
export const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  ) ?? 'nothing';
