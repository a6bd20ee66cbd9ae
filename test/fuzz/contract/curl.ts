import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FuzzRequest } from './exchange.ts';

/** A longer body goes to a file: a shell takes no line of that length. */
const INLINE_LIMIT_BYTES = 8 * 1024;

/** The request as a line for a shell, which sends the same bytes. */
export function curlOf(url: string, { method, target, headers, body }: FuzzRequest): string {
  // --path-as-is and --globoff: curl must not tidy up what was made untidy.
  const parts = ['curl', '-sS', '-i', '--path-as-is', '--globoff'];
  parts.push(...(method === 'HEAD' ? ['--head'] : ['-X', quoted(method)]), quoted(url + target));
  // curl would add a content type of its own.
  const sent =
    body !== undefined && !('content-type' in headers) ? { ...headers, 'content-type': '' } : headers;
  for (const [name, value] of Object.entries(sent))
    parts.push('-H', quoted(value === '' ? `${name}:` : `${name}: ${value}`));
  if (body === undefined) return parts.join(' ');
  if (body.length > INLINE_LIMIT_BYTES)
    return [...parts, '--data-binary', quoted(`@${fileWith(body)}`)].join(' ');
  const text = body.toString('utf8');
  const isPlain = Buffer.from(text).equals(body) && !text.includes('\0') && !text.startsWith('@');
  if (isPlain) return [...parts, '--data-binary', quoted(text)].join(' ');
  return `echo ${body.toString('base64')} | base64 -d | ${[...parts, '--data-binary', '@-'].join(' ')}`;
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

function fileWith(body: Buffer): string {
  const path = join(tmpdir(), `fuzz-${createHash('sha256').update(body).digest('hex').slice(0, 16)}.body`);
  writeFileSync(path, body);
  return path;
}
