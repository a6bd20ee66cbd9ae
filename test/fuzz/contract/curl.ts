import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FuzzRequest } from './exchange.ts';

/** A longer body goes to a file: a shell takes no line of that length. */
const INLINE_LIMIT_BYTES = 8 * 1024;

/** The request as a line for a shell, which sends the same request line, headers and body. */
export function curlOf(url: string, { method, target, headers, body }: FuzzRequest): string {
  // curl must tidy up nothing, and wait for no consent to a large body.
  const parts = ['curl', '-sS', '-i', '--globoff', '-H', quoted('expect:')];
  parts.push(...(method === 'HEAD' ? ['--head'] : ['-X', quoted(method)]));
  parts.push('--request-target', quoted(target), quoted(url));
  // It would add a content type of its own.
  if (body !== undefined && !('content-type' in headers)) parts.push('-H', quoted('content-type:'));
  for (const [name, value] of Object.entries(headers)) parts.push('-H', quoted(headerOf(name, value)));
  if (body === undefined) return parts.join(' ');
  if (body.length > INLINE_LIMIT_BYTES)
    return [...parts, '--data-binary', quoted(`@${fileWith(body)}`)].join(' ');
  const text = body.toString('utf8');
  const isPlain = Buffer.from(text).equals(body) && !text.includes('\0') && !text.startsWith('@');
  if (isPlain) return [...parts, '--data-binary', quoted(text)].join(' ');
  return `echo ${body.toString('base64')} | base64 -d | ${[...parts, '--data-binary', '@-'].join(' ')}`;
}

/** A header's value is bytes; an empty one is written with a semicolon. */
function headerOf(name: string, value: string): string {
  const text = Buffer.from(value, 'latin1').toString('utf8');
  return text.trim() === '' ? `${name};` : `${name}: ${text}`;
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

function fileWith(body: Buffer): string {
  const path = join(tmpdir(), `fuzz-${createHash('sha256').update(body).digest('hex').slice(0, 16)}.body`);
  writeFileSync(path, body);
  return path;
}
