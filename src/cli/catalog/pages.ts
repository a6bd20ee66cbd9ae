import { createReadStream } from 'node:fs';
import { EXIT_FAILED } from '../../process/exitCodes.ts';
import { Failure } from '../failure.ts';

const STANDARD_INPUT = { name: '-', fd: 0 };

/** Reads a page of a list endpoint, or one in each line, and returns the items of all pages. Throws a Failure. */
export async function readItems(path: string, limitBytes: number): Promise<unknown[]> {
  const text = await readText(path, limitBytes);
  const whole = parsed(text);
  if (whole !== undefined) return itemsOf(whole, 'The import');
  const lines = text.split('\n').map((line) => line.trim());
  return lines.flatMap((line, at) => (line === '' ? [] : itemsOf(parsed(line), `Line ${at + 1}`)));
}

async function readText(path: string, limitBytes: number): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  const input =
    path === STANDARD_INPUT.name
      ? createReadStream('', { fd: STANDARD_INPUT.fd, autoClose: false })
      : createReadStream(path);
  try {
    for await (const part of input as AsyncIterable<Buffer>) {
      bytes += part.length;
      if (bytes > limitBytes) throw new Failure(EXIT_FAILED, `the import has more than ${limitBytes} bytes`);
      parts.push(part);
    }
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure(EXIT_FAILED, `the import cannot be read: ${(error as Error).message}`);
  }
  return Buffer.concat(parts).toString();
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function itemsOf(page: unknown, name: string): unknown[] {
  const { items } = (page ?? {}) as { items?: unknown };
  if (Array.isArray(items)) return items as unknown[];
  throw new Failure(EXIT_FAILED, `${name} is not a page with items. Nothing was imported.`);
}
