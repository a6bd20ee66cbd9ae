import type { CatalogRefusal } from '../listing.ts';
import { URL_LIMIT_CHARACTERS } from './limits.ts';
import { refuse, shown } from './refusal.ts';

/** Matches only URLs that are written out in full: parsers read other spellings as different hosts. */
const WRITTEN_OUT = /^https?:\/\/(?<authority>[^/\\?#]+)/i;

/** Reads the absolute http or https URL without credentials at a place in the payload. */
export function readHttpUrl(place: string, text: unknown): URL | CatalogRefusal {
  const refused = (rule: string): CatalogRefusal =>
    refuse('bazaar_resource_url_invalid', `${place} must ${rule}; it is ${shown(text)}`);
  if (typeof text !== 'string' || text === '') return refused('be an absolute http or https URL');
  if (text.length > URL_LIMIT_CHARACTERS) return refused(`have at most ${URL_LIMIT_CHARACTERS} characters`);
  if (/\p{Cc}/u.test(text) || text.trim() !== text || !text.isWellFormed()) {
    return refused('be free of control characters and of spaces around it');
  }
  const authority = WRITTEN_OUT.exec(text)?.groups?.authority;
  if (authority === undefined) return refused('be an absolute URL that starts with http:// or https://');
  if (authority.includes('@')) return refused('be free of credentials');
  if (/^[^?#]*\\/.test(text)) return refused('be free of backslashes');
  return URL.parse(text) ?? refused('name a valid host and port');
}
