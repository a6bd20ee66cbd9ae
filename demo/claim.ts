/** What the story says is checked, not only said. Throws where it does not hold. */
export function claim(holds: boolean, text: string): asserts holds {
  if (!holds) throw new Error(`this should hold, and does not: ${text}`);
}
