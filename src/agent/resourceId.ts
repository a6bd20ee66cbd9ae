/** Writes and reads the ids of listings: `svc1:` and base64url of the JSON array `[type, resource, toolName]`. */
import { CATALOG_LIMITS, TARGET_LIMITS } from './limits.ts';
import { isClean } from './words.ts';

/** Identifies a listing; `toolName` is empty for http. */
export interface ListingKey {
  readonly type: 'http' | 'mcp';
  /** The canonical URL, possibly with a route template. */
  readonly resource: string;
  readonly toolName: string;
}

const PREFIX = 'svc1:';

export function formatResourceId({ type, resource, toolName }: ListingKey): string {
  return PREFIX + Buffer.from(JSON.stringify([type, resource, toolName])).toString('base64url');
}

/** Returns the listing that an id names; undefined for any text that {@link formatResourceId} does not write. */
export function parseResourceId(id: string): ListingKey | undefined {
  if (!id.startsWith(PREFIX) || id.length > CATALOG_LIMITS.maxIdChars) return undefined;
  const key = keyIn(Buffer.from(id.slice(PREFIX.length), 'base64url').toString('utf8'));
  // Encoding the key again rejects other alphabets, padding, spacing, escapes and invalid UTF-8.
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

/** True when a listing can have an id: http without a tool or mcp with one, an absolute http(s) URL, nothing hidden. */
export function isListingKey(type: unknown, resource: string, toolName: string): type is 'http' | 'mcp' {
  if (type !== 'http' && type !== 'mcp') return false;
  if ((type === 'http') !== (toolName === '')) return false;
  if (resource.length > TARGET_LIMITS.maxUrlChars || toolName.length > TARGET_LIMITS.maxToolNameChars)
    return false;
  // A model reads both, and if they were cleaned, they would name something else.
  if (!isClean(resource) || (toolName !== '' && !isClean(toolName))) return false;
  return /^https?:\/\/\S+$/i.test(resource) && URL.canParse(resource);
}
