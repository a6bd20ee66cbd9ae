import { cleanText } from '../catalog/cleanText.ts';
import { RESULT_LIMITS } from '../limits.ts';

/** Somebody else's words as the end of a sentence: on one line, cut, and in quotation marks that they cannot close. */
export function quoted(text: string): string {
  const said = cleanText(text.slice(0, 2 * RESULT_LIMITS.maxQuoteChars), RESULT_LIMITS.maxQuoteChars) ?? '';
  return `“${said.replace(/["“”]/g, "'")}”.`;
}
