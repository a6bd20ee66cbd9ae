import type { Environment } from './environment.ts';
import type { Report } from './values.ts';

/**
 * Returns the public URL of the service, without a slash at its end, if recipients may act on their listings; undefined
 * if not. They sign it, so that what they sign for one service means nothing to another.
 */
export function readListingOperations(
  { LISTING_OPERATIONS: text = 'off' }: Environment,
  report: Report,
): string | undefined {
  if (text === 'off') return undefined;
  const url = URL.parse(text);
  const isPlain = url !== null && !url.username && !url.password && !url.search && !url.hash;
  if (!isPlain || !/^https?:$/.test(url.protocol)) {
    report(
      'LISTING_OPERATIONS',
      'must be off, or the URL at which sellers reach this service, such as https://facilitator.example.com',
    );
    return undefined;
  }
  return url.href.replace(/\/+$/, '');
}
