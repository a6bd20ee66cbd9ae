import type { IncomingMessage } from 'node:http';
import type { OperatorRefusal } from '../contract/index.ts';
import { refuse } from './refusal.ts';

/**
 * Reads a JSON body; undefined if there is none. Refuses a body that is too large or not JSON. A form on another site
 * cannot send JSON.
 */
export async function readBody(
  request: IncomingMessage,
  maxBytes: number,
): Promise<{ value: unknown } | OperatorRefusal> {
  const { 'content-length': length = '0', 'transfer-encoding': coding } = request.headers;
  if (length === '0' && coding === undefined) return { value: undefined };
  if (!/^application\/json\b/i.test(request.headers['content-type'] ?? ''))
    return refuse('op_invalid_request', 'Send JSON, with the content type application/json.');
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > maxBytes) return refuse('op_invalid_request', `The body is larger than ${maxBytes} bytes.`);
      chunks.push(chunk);
    }
  } catch {
    // Clients may leave at any time, so this is not logged.
    return refuse('op_invalid_request', 'The body was cut off.');
  }
  try {
    return { value: JSON.parse(Buffer.concat(chunks).toString('utf8')) as unknown };
  } catch {
    return refuse('op_invalid_request', 'The body is not JSON.');
  }
}
