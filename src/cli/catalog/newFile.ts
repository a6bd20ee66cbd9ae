import { existsSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { EXIT_FAILED } from '../../process/exitCodes.ts';
import { Failure } from '../failure.ts';

/**
 * Lets `work` write a file that does not exist yet. The file gets its name only when it is complete. Throws a Failure if
 * it cannot be made.
 */
export async function withNewFile<Result>(
  path: string,
  work: (write: (text: string) => Promise<boolean>) => Promise<Result>,
): Promise<Result> {
  if (existsSync(path)) throw new Failure(EXIT_FAILED, `${path} exists: name a file that does not`);
  const part = `${path}.part`;
  const file = await open(part, 'w').catch((error: Error) => {
    throw notWritten(error);
  });
  try {
    const result = await work(async (text) => {
      await file.writeFile(text).catch((error: Error) => {
        throw notWritten(error);
      });
      return true;
    });
    await file.close();
    await rename(part, path);
    return result;
  } catch (error) {
    await file.close();
    await rm(part, { force: true });
    throw error;
  }
}

const notWritten = ({ message }: Error): Failure =>
  new Failure(EXIT_FAILED, `no file was written: ${message}`);
