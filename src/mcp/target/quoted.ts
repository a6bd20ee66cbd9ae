import { RESULT_LIMITS } from '../limits.ts';

/** A target's own words within a reason. */
export function quoted(text: string): string {
  const { maxQuoteChars } = RESULT_LIMITS;
  return text.length <= maxQuoteChars ? text : `${text.slice(0, maxQuoteChars).toWellFormed()}…`;
}
