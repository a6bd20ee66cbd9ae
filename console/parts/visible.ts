/** Makes visible what a text hides. Clients choose these texts. */

/** Characters that show nothing, break lines, or turn the direction of others: controls, bidi marks, odd spaces. */
const HIDDEN =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/u;
/** Marks above and below a letter; more than two of them hide the lines around. */
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

/** Returns the text with names in place of hidden characters, for where there is only text. */
export const visible = (text: string): string =>
  partsOf(text)
    .map((part) => (part.isHidden ? `⟨${part.text}⟩` : part.text))
    .join('');

const nameOf = (character: string): string =>
  `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;

/** Returns the parts of an address of the web, in which all is ASCII; undefined if it is none. */
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

/** Shortens an address or a hash to its ends. */
export const shortened = (text: string): string =>
  text.length <= 16 ? text : `${text.slice(0, 6)}…${text.slice(-6)}`;
