import { Failure, invalidArguments } from '../codes.ts';
import type { JsonObject } from '../json.ts';
import { TARGET_LIMITS } from '../limits.ts';

/** The headers that an agent may set. This server sets all others, or they would carry credentials. */
export const ALLOWED_HEADERS = [
  'accept',
  'accept-language',
  'idempotency-key',
  'if-modified-since',
  'if-none-match',
  'prefer',
  'range',
];

/** Returns the headers of a request, in lower case, or says which one may not be set. */
export function headersOf(given: Readonly<Record<string, string>>): Record<string, string> | Failure {
  const headers: Record<string, string> = { accept: 'application/json, */*;q=0.5' };
  for (const [name, value] of Object.entries(given)) {
    const lower = name.toLowerCase();
    if (!ALLOWED_HEADERS.includes(lower))
      return invalidArguments(
        `The header ${JSON.stringify(name.slice(0, 64))} may not be set; these may: ${ALLOWED_HEADERS.join(', ')}.`,
      );
    if (!isHeaderValue(value))
      return invalidArguments(`The header ${lower} must be printable ASCII of moderate length.`);
    headers[lower] = value;
  }
  return headers;
}

/** Keeps the headers of a listing's example that may be set. */
export function allowedHeaders(headers: JsonObject): Record<string, string> {
  const allowed = Object.entries(headers).filter(
    (entry): entry is [string, string] =>
      ALLOWED_HEADERS.includes(entry[0].toLowerCase()) &&
      typeof entry[1] === 'string' &&
      isHeaderValue(entry[1]),
  );
  return Object.fromEntries(allowed);
}

function isHeaderValue(value: string): boolean {
  return /^[\x20-\x7e]*$/.test(value) && value.length <= TARGET_LIMITS.maxHeaderValueChars;
}
