import type { Metadata } from '../listing.ts';
import { isIconUrl } from './iconUrl.ts';
import { cut, type JsonObject } from './json.ts';
import {
  DESCRIPTION_LIMIT_BYTES,
  DESCRIPTION_LIMIT_CHARACTERS,
  MAX_TAGS,
  MAX_TAGS_READ,
  MIME_TYPE_LIMIT_CHARACTERS,
  SERVICE_NAME_LIMIT_CHARACTERS,
  TAG_LIMIT_CHARACTERS,
} from './limits.ts';

/** Reads the metadata in `paymentPayload.resource`. A defect drops only its own field. */
export function readMetadata(resource: JsonObject): Metadata {
  return withoutAbsent({
    description: readDescription(resource.description),
    mimeType: readMimeType(resource.mimeType),
    serviceName: readServiceName(resource.serviceName),
    tags: readTags(resource.tags),
    iconUrl: isIconUrl(resource.iconUrl) ? resource.iconUrl : undefined,
  });
}

export function readDescription(value: unknown): string | undefined {
  if (typeof value !== 'string' || value === '') return undefined;
  const text = cut(value, DESCRIPTION_LIMIT_CHARACTERS).toWellFormed();
  // In JSON, only control characters take more than three bytes each, and they never take more than six.
  const isShort = Buffer.byteLength(JSON.stringify(text)) <= DESCRIPTION_LIMIT_BYTES;
  return isShort ? text : cut(text, DESCRIPTION_LIMIT_CHARACTERS / 2);
}

export function readMimeType(value: unknown): string | undefined {
  if (typeof value !== 'string' || value === '' || value.length > MIME_TYPE_LIMIT_CHARACTERS)
    return undefined;
  return /\p{Cc}/u.test(value) ? undefined : value.toWellFormed();
}

export function readServiceName(value: unknown): string | undefined {
  return isPrintable(value, SERVICE_NAME_LIMIT_CHARACTERS) ? value : undefined;
}

/** Returns the first valid tags. If some differ only in case, keeps the first of them. */
export function readTags(value: unknown): readonly string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const tags = new Map<string, string>();
  for (const tag of value.slice(0, MAX_TAGS_READ) as unknown[]) {
    if (!isPrintable(tag, TAG_LIMIT_CHARACTERS) || tags.has(tag.toLowerCase())) continue;
    tags.set(tag.toLowerCase(), tag);
    if (tags.size === MAX_TAGS) break;
  }
  return tags.size === 0 ? undefined : [...tags.values()];
}

function isPrintable(value: unknown, limitCharacters: number): value is string {
  return typeof value === 'string' && value.length <= limitCharacters && /^[\x20-\x7e]+$/.test(value);
}

function withoutAbsent<Fields extends object>(fields: {
  [Name in keyof Fields]: Fields[Name] | undefined;
}): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Fields;
}
