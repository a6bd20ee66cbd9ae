/** Bytes of a key, as Standard Webhooks asks for. */
const MIN_KEY_BYTES = 24;
const MAX_KEY_BYTES = 64;
const FORM = /^whsec_((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)$/;

/** Returns what is wrong with a secret that signs the calls of a policy's check, or webhooks, without repeating any part of it. */
export function checkSecretProblem(secret: string): string | undefined {
  const [, key = ''] = FORM.exec(secret) ?? [];
  const bytes = Buffer.from(key, 'base64').length;
  if (bytes >= MIN_KEY_BYTES && bytes <= MAX_KEY_BYTES) return undefined;
  return `must be whsec_ and ${MIN_KEY_BYTES} to ${MAX_KEY_BYTES} random bytes in base64: echo "whsec_$(openssl rand -base64 32)"`;
}
