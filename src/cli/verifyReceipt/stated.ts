import { readRegularFile } from '../../config/regularFile.ts';
import { EXIT_FAILED } from '../../process/exitCodes.ts';
import { RECEIPT_EXTENSION, verifyReceipt } from '../../receipts/index.ts';
import { Failure } from '../failure.ts';
import { printableJsonLine } from '../printable.ts';

/** Both files are far smaller. */
const MAX_FILE_BYTES = 64 * 1024;

/** Returns a line with what the receipt in a file states. Throws a Failure if it is not good. */
export function stated(receiptFile: string, keysFile: string): string {
  const jws = jwsIn(read('<receipt>', receiptFile));
  const keys = parsed(read('<keys>', keysFile));
  const result = verifyReceipt(jws, keys);
  if ('problem' in result) throw new Failure(EXIT_FAILED, `do not believe this receipt: ${result.problem}`);
  return printableJsonLine(result.statement);
}

function read(operand: string, path: string): string {
  const text = readRegularFile(path, MAX_FILE_BYTES);
  if (typeof text !== 'string') throw new Failure(EXIT_FAILED, `${operand} ${text.problem}`);
  return text.trim();
}

/** Finds the signature in an answer of /settle, plain or in base64 as the buyer gets it. */
function jwsIn(text: string): string {
  const answer = parsed(text) ?? parsed(Buffer.from(text, 'base64').toString());
  const { extensions } = (answer ?? {}) as { extensions?: Record<string, { jws?: unknown } | null> | null };
  const jws = extensions?.[RECEIPT_EXTENSION]?.jws;
  return typeof jws === 'string' ? jws : text;
}

/** Returns undefined for what is not JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
