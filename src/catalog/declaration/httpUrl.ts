import { URL_LIMIT_CHARACTERS } from './limits.ts';

/** Matches only URLs that are written out in full: parsers read other spellings as different hosts. */
const WRITTEN_OUT = /^https?:\/\/(?<authority>[^/\\?#]+)/i;

/**
 * Reads an absolute http or https URL without credentials. If the text is no such URL, returns what is wrong with it,
 * as the end of a sentence.
 */
export function readHttpUrl(text: unknown): URL | string {
  if (typeof text !== 'string' || text === '') return 'must be an absolute http or https URL';
  if (text.length > URL_LIMIT_CHARACTERS) return `must have at most ${URL_LIMIT_CHARACTERS} characters`;
  if (/\p{Cc}/u.test(text) || text.trim() !== text || !text.isWellFormed()) {
    return 'must be free of control characters and of spaces around it';
  }
  const authority = WRITTEN_OUT.exec(text)?.groups?.authority;
  if (authority === undefined) return 'must be an absolute URL that starts with http:// or https://';
  if (authority.includes('@')) return 'must be free of credentials';
  if (/^[^?#]*\\/.test(text)) return 'must be free of backslashes';
  return URL.parse(text) ?? 'must name a valid host and port';
}
