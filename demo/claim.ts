/** Checks what the story says. Throws if it is false. */
export function claim(holds: boolean, text: string): asserts holds {
  if (!holds) throw new Error(`this claim is false: ${text}`);
}
