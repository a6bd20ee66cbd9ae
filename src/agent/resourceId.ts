/** The ids of listings (specification 4.8): `svc1:` and base64url of the JSON array `[type, resource, toolName]`. */
import { CATALOG_LIMITS, TARGET_LIMITS } from './limits.ts';
import { isClean } from './words.ts';

/** What identifies a listing (specification 2.6); `toolName` is empty for http. */
export interface ListingKey {
  readonly type: 'http' | 'mcp';
  /** The canonical URL, perhaps with a route template. */
  readonly resource: string;
  readonly toolName: string;
}

const PREFIX = 'svc1:';

export function formatResourceId({ type, resource, toolName }: ListingKey): string {
  return PREFIX + Buffer.from(JSON.stringify([type, resource, toolName])).toString('base64url');
}

/** The listing that an id names; undefined for every text that {@link formatResourceId} does not write. */
export function parseResourceId(id: string): ListingKey | undefined {
  if (!id.startsWith(PREFIX) || id.length > CATALOG_LIMITS.maxIdChars) return undefined;
  const key = keyIn(Buffer.from(id.slice(PREFIX.length), 'base64url').toString('utf8'));
  // Writing it again finds every other alphabet, padding, spacing, escape and invalid UTF-8.
  return key !== undefined && formatResourceId(key) === id ? key : undefined;
}

function keyIn(text: string): ListingKey | undefined {
  let parts: unknown;
  try {
    parts = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!Array.isArray(parts) || parts.length !== 3) return undefined;
  const [type, resource, toolName] = parts as unknown[];
  if (typeof resource !== 'string' || typeof toolName !== 'string') return undefined;
  return isListingKey(type, resource, toolName) ? { type, resource, toolName } : undefined;
}

/** Whether a listing can have an id: http without a tool, mcp with one, at an absolute http(s) URL, nothing hidden in them. */
export function isListingKey(type: unknown, resource: string, toolName: string): type is 'http' | 'mcp' {
  if (type !== 'http' && type !== 'mcp') return false;
  if ((type === 'http') !== (toolName === '')) return false;
  if (resource.length > TARGET_LIMITS.maxUrlChars || toolName.length > TARGET_LIMITS.maxToolNameChars)
    return false;
  // A model gets to read both, and they cannot be cleaned without naming something else.
  if (!isClean(resource) || (toolName !== '' && !isClean(toolName))) return false;
  return /^https?:\/\/\S+$/i.test(resource) && URL.canParse(resource);
}
