/** The code that an answer of any shape carries. */
export function codeOf(body: unknown): string | undefined {
  const { invalidReason, errorReason, error } = (body ?? {}) as Record<string, any>;
  return invalidReason ?? errorReason ?? error?.code;
}
