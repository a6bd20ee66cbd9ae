import { RESULT_LIMITS } from '../limits.ts';

/** A target's own words as the end of a sentence: cut, and with a full stop. */
export function quoted(text: string): string {
  const { maxQuoteChars } = RESULT_LIMITS;
  const said = text.trim();
  if (said.length > maxQuoteChars) return `${said.slice(0, maxQuoteChars).toWellFormed()}….`;
  return /[.!?]$/.test(said) ? said : `${said}.`;
}
