import { isPublicName } from '../../net/addresses.ts';
import { readHttpUrl } from './httpUrl.ts';
import { URL_LIMIT_CHARACTERS } from './limits.ts';

/** Whoever shows a picture puts its address into a page. */
const UNSAFE_TO_SHOW = /[\s<>"\p{Cf}]/u;

/**
 * Whether a value is the URL of a picture on a public host (specification 2.6): whoever shows a listing fetches it.
 * The URL standard's reader has already decoded escapes and mapped look-alike letters, and knows every spelling of an
 * IPv4 address.
 */
export function isIconUrl(value: unknown): value is string {
  const url = readHttpUrl(value);
  return (
    typeof value === 'string' &&
    typeof url !== 'string' &&
    url.href.length <= URL_LIMIT_CHARACTERS &&
    isPublicName(url.hostname) &&
    !UNSAFE_TO_SHOW.test(value)
  );
}
