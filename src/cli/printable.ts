/** Makes texts safe for a terminal: strangers choose some of them. */

/** Escapes whatever could change what a terminal shows, as JSON does: control characters, and marks of direction. */
export const printable = (text: string): string => text.replace(UNSAFE, escaped);

/** Escapes all but ASCII, too. For columns of a known width: other characters may take no place there, or two. */
export const printableAscii = (text: string): string => text.replace(NOT_ASCII, escaped);

/** Returns JSON that is safe in a terminal, and means the same. */
export function printableJson(value: unknown): string {
  // Line feeds stand between the parts of the JSON alone: in its texts they are escaped already.
  return JSON.stringify(value, null, 2).split('\n').map(printable).join('\n');
}

/** Returns a line of ASCII that is JSON. */
export const printableJsonLine = (value: object): string => `${printableAscii(JSON.stringify(value))}\n`;

const UNSAFE = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu;
const NOT_ASCII = /[^\x20-\x7e]/gu;

/** Escapes a character, of one or two code units. */
function escaped(character: string): string {
  return character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}
