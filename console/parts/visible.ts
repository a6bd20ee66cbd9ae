/** Makes hidden characters visible in texts that clients chose. */

/** Characters that show nothing, break lines, or turn the direction of others: controls, bidi marks, odd spaces. */
const HIDDEN =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/u;
/** Combining marks after the second one of a letter: many of them cover the lines above and below. */
const PILED = /(?<=\p{M}{2})\p{M}/u;
const PARTS = new RegExp(`(${HIDDEN.source}|${PILED.source})`, 'gu');

export interface TextPart {
  readonly text: string;
  /** True if the text is the name of a character, such as `U+202E`. */
  readonly isHidden: boolean;
}

export function partsOf(text: string): TextPart[] {
  return text
    .split(PARTS)
    .map((part, nth) =>
      nth % 2 === 1 ? { text: nameOf(part), isHidden: true } : { text: part, isHidden: false },
    )
    .filter((part) => part.text !== '');
}

/** Replaces hidden characters by their names, where only plain text can be shown. */
export const visible = (text: string): string =>
  partsOf(text)
    .map((part) => (part.isHidden ? `⟨${part.text}⟩` : part.text))
    .join('');

const nameOf = (character: string): string =>
  `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;

/** Returns the parts of an http or https URL, all in ASCII; undefined if the text is no such URL. */
export function webAddress(
  text: string,
): { href: string; before: string; host: string; after: string } | undefined {
  const url = URL.parse(text);
  if (url === null || !['http:', 'https:'].includes(url.protocol) || url.host === '') return undefined;
  const { href, host, pathname, search, hash, protocol, username, password } = url;
  const user =
    username === '' && password === '' ? '' : `${username}${password === '' ? '' : `:${password}`}@`;
  return { href, before: `${protocol}//${user}`, host, after: pathname + search + hash };
}

/** Keeps only the ends of an address or a hash. */
export const shortened = (text: string): string =>
  text.length <= 16 ? text : `${text.slice(0, 6)}…${text.slice(-6)}`;
