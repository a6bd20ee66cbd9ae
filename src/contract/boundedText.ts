/**
 * Returns the start of a text that a client sent, well-formed: a character that the limit cuts in two becomes U+FFFD. It
 * is a copy, since a slice of a text keeps the whole text in memory.
 */
export const boundedText = (text: string, limitChars = Infinity): string =>
  Buffer.from(text.slice(0, limitChars)).toString();
