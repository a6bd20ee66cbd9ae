import type { CatalogCode } from '../../contract/index.ts';
import type { CatalogRefusal } from '../listing.ts';
import { shorten } from './json.ts';
import { MESSAGE_LIMIT_CHARACTERS, QUOTE_LIMIT_CHARACTERS } from './limits.ts';

export function refuse(code: CatalogCode, message: string): CatalogRefusal {
  const line = message.toWellFormed().replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ');
  return { code, message: shorten(line, MESSAGE_LIMIT_CHARACTERS) };
}

/** Returns a short form of what a client sent, to show in a message. */
export function shown(value: unknown): string {
  if (typeof value === 'string') return `"${shorten(value, QUOTE_LIMIT_CHARACTERS)}"`;
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object' && value !== null) return 'an object';
  return String(value);
}
