import { readFile } from 'node:fs/promises';
import { format, type FormatConfig } from 'oxfmt';

const SETTINGS = new URL('../.oxfmtrc.json', import.meta.url);

/** Returns a text as `npm run format` would write it into a file of this name. Throws if it cannot be parsed. */
export async function formatted(file: string, text: string): Promise<string> {
  const settings = JSON.parse(await readFile(SETTINGS, 'utf8')) as FormatConfig;
  const { code, errors } = await format(file, text, settings);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]!.message}`);
  return code;
}
