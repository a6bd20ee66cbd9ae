import { SHOWN_CHARS } from './limits.ts';

/** Writes a value of the 402 as short JSON, or says that there is none. */
export function quoted(value: unknown): string {
  if (value === undefined) return 'missing';
  const text = JSON.stringify(value);
  return text.length <= SHOWN_CHARS ? text : `${text.slice(0, SHOWN_CHARS - 1).toWellFormed()}…`;
}
