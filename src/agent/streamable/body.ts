import type { IncomingMessage } from 'node:http';
import { isObject, parseJson, valueAt, type Json, type JsonObject } from '../json.ts';
import type { StreamableLimits } from './limits.ts';
import type { HttpRefusal } from './refusal.ts';

type BodyLimits = Pick<StreamableLimits, 'maxJsonDepth' | 'maxBesideArgumentsBytes'>;

/** Reads one JSON-RPC message, or returns why the body is none. */
export async function readMessage(
  request: IncomingMessage,
  maxBytes: number,
  { maxJsonDepth, maxBesideArgumentsBytes: maxBeside }: BodyLimits,
): Promise<{ message: JsonObject } | HttpRefusal> {
  const tooLarge = { status: 413, message: `The body is larger than ${maxBytes} bytes.` };
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) return tooLarge;
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > maxBytes) return tooLarge;
      chunks.push(chunk);
    }
  } catch {
    return { status: 400, message: 'The body was cut off.' };
  }
  const message = parseJson(Buffer.concat(chunks).toString('utf8'), maxJsonDepth);
  if (!isObject(message))
    return { status: 400, message: 'The body must be one JSON-RPC message. Batches are not taken.' };
  if (bytes > maxBeside && bytesBesideArguments(message) > maxBeside)
    return { status: 413, message: `All but params.arguments may have ${maxBeside} bytes.` };
  return { message };
}

/** A copy without the arguments would take longer. */
function bytesBesideArguments(message: JsonObject): number {
  const bytesOf = (value: Json): number => Buffer.byteLength(JSON.stringify(value));
  return bytesOf(message) - bytesOf(valueAt(message, 'params', 'arguments') ?? null);
}
