import { isPublicHostname } from '../net/addresses.ts';
import { checkSecretProblem } from './checkSecret.ts';
import type { Environment } from './environment.ts';
import type { Report } from './values.ts';

export interface WebhookSettings {
  /** Its path or query may hold a key: show only the origin. */
  readonly url: string;
}

/** Returns undefined if there are no webhooks. */
export function readWebhooks(
  { WEBHOOK_URL: url, WEBHOOK_SECRET: secret }: Environment,
  report: Report,
): WebhookSettings | undefined {
  if (url === undefined) return undefined;
  const problem = urlProblem(url);
  if (problem !== undefined) report('WEBHOOK_URL', problem);
  if (secret === undefined)
    report('WEBHOOK_SECRET', 'is missing: with WEBHOOK_URL, set it or WEBHOOK_SECRET_FILE to sign messages');
  return { url };
}

export function readWebhookSecret(
  { WEBHOOK_SECRET: secret }: Environment,
  report: Report,
): string | undefined {
  const problem = secret === undefined ? undefined : checkSecretProblem(secret);
  if (problem !== undefined) report('WEBHOOK_SECRET', problem);
  return secret;
}

function urlProblem(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null || !/^https?:\/\//i.test(text)) return 'must be an absolute https or http URL';
  if (url.username || url.password) return 'must not hold a user name or a password: messages are signed';
  if (url.protocol === 'http:' && isPublicHostname(url.hostname))
    return 'must be https, unless the receiver is on this machine or in a private network';
  return undefined;
}
