/** Decides which URLs may be called. */
import { Failure, invalidArguments } from '../codes.ts';
import { TARGET_LIMITS } from '../limits.ts';
import { isClean } from '../words.ts';

/** Reads a URL as an agent gives it. */
export function readUrl(text: string): URL | Failure {
  const isUrl = text.length <= TARGET_LIMITS.maxUrlChars && /^https?:\/\/\S+$/i.test(text) && isClean(text);
  const url = isUrl ? URL.parse(text) : null;
  if (url === null) return invalidArguments('url must be an absolute http or https URL of moderate length.');
  if (url.username || url.password) return invalidArguments('url must not hold a user name or a password.');
  return url;
}

/** Refuses a URL whose host is not among the allowed ones: `host` or `host:port`; undefined for any. */
export function refuseHost(url: URL, allowedHosts: readonly string[] | undefined): Failure | undefined {
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  if (allowedHosts?.some((host) => host === url.hostname || host === `${url.hostname}:${port}`) ?? true)
    return undefined;
  return new Failure(
    'svc_mcp_payment_declined_by_policy',
    `The host ${url.host} is not among those that are allowed (${allowedHosts?.join(', ')}). Nothing was sent and nothing was paid.`,
  );
}
