import { createHmac } from 'node:crypto';

const SECRET_PREFIX = 'whsec_';

/**
 * Returns the headers by which a receiver knows that a message is ours and new, as Standard Webhooks specifies them. The
 * secret is `whsec_` and the key in base64. The id names the message, and is the same if it is sent again.
 */
export function signatureHeaders(
  secret: string,
  { id, body, time }: { id: string; body: string; time: Date },
): Record<string, string> {
  const timestamp = String(Math.floor(time.getTime() / 1_000));
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` };
}
