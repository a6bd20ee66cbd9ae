import { readHttpUrl } from './httpUrl.ts';
import { URL_LIMIT_CHARACTERS } from './limits.ts';

/** Names that lead into the reader's own machine or network. */
const PRIVATE_DOMAINS =
  /(^|\.)(localhost|localdomain|localdomain6|local|internal|svc|intranet|private|corp|home|lan|home\.arpa|in-addr\.arpa|ip6\.arpa)$/;
/** Whoever shows a picture puts its address into a page. */
const UNSAFE_TO_SHOW = /[\s<>"\p{Cf}]/u;
const IPV4 = /^\d+(\.\d+){3}$/;

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

function isPublicName(hostname: string): boolean {
  if (hostname.startsWith('[')) return false;
  const labels = hostname.replace(/\.$/, '').split('.');
  if (labels.length < 2 || labels.includes('')) return false;
  const name = labels.join('.');
  return !IPV4.test(name) && !PRIVATE_DOMAINS.test(name);
}
