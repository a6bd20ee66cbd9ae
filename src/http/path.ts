import { PATH_SHOWN_CHARS } from './limits.ts';

/**
 * Returns the path of a request target, without its query. Leaves escapes as they are: no served path has any. A proxy
 * may send the target as an absolute URL (RFC 9112, 3.2.2).
 */
export function pathOf(target = ''): string {
  const path = target.startsWith('/') ? target : (URL.parse(target)?.pathname ?? target);
  const end = path.search(/[?#]/);
  return end === -1 ? path : path.slice(0, end);
}

/** Returns the query of a request target as it was sent, without its question mark. */
export function queryOf(target = ''): string {
  const end = target.indexOf('#');
  const sent = end === -1 ? target : target.slice(0, end);
  const start = sent.indexOf('?');
  return start === -1 ? '' : sent.slice(start + 1);
}

export function shownPath(path: string): string {
  return path.length > PATH_SHOWN_CHARS ? `${path.slice(0, PATH_SHOWN_CHARS)}…` : path;
}
