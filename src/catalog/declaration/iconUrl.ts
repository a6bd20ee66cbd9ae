import { isPublicName } from '../../net/addresses.ts';
import { readHttpUrl } from './httpUrl.ts';
import { URL_LIMIT_CHARACTERS } from './limits.ts';

/** Matches characters that are unsafe in a page, where clients put the URL. */
const UNSAFE_TO_SHOW = /[\s<>"\p{Cf}]/u;

/**
 * True when a value is the URL of an image on a public host: clients that show a listing fetch it. The URL parser has
 * already decoded escapes, mapped look-alike letters, and understood every spelling of an IPv4 address.
 */
export function isIconUrl(value: unknown): value is string {
  const url = readHttpUrl('iconUrl', value);
  return (
    typeof value === 'string' &&
    !('code' in url) &&
    url.href.length <= URL_LIMIT_CHARACTERS &&
    isPublicName(url.hostname) &&
    !UNSAFE_TO_SHOW.test(value)
  );
}
