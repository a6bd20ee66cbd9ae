/** Marks that NFKD takes off a letter: é becomes e and an acute accent. */
const DIACRITICS = /[\u0300-\u036f]+/g;
const TOKEN = /[\p{L}\p{M}\p{N}]+/gu;

/**
 * The words of a text: runs of letters and digits, without case and diacritics (specification 4.5). No stemming, and
 * no word is left out.
 */
export function tokensOf(text: string): string[] {
  return text.normalize('NFKD').toLowerCase().replace(DIACRITICS, '').match(TOKEN) ?? [];
}
