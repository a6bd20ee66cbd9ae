import { readFileSync } from 'node:fs';
import { zipSync } from 'fflate';
import ts from 'typescript';
import { ENTRY_POINT, manifest } from './manifest.ts';
import { PACKAGE } from './package.ts';

const ROOT = new URL('../../', import.meta.url);
/** The same in every bundle and every time zone, so that the same files give the same bytes. */
const MODIFIED = new Date(1980, 0, 1);

/** Returns the tool server as an MCP bundle: a zip with its manifest, and the files of `dist` that it needs. */
export function mcpBundle(): Uint8Array {
  const { name, version } = PACKAGE;
  const files = ['LICENSE', 'dist/licenses.txt', ...importedBy(ENTRY_POINT)];
  return zipSync(
    {
      'manifest.json': json(manifest()),
      // Node reads the type of the modules there, and the server its version.
      'package.json': json({ name, version, type: 'module' }),
      ...Object.fromEntries(files.map((file) => [file, readFileSync(new URL(file, ROOT))])),
    },
    { level: 9, mtime: MODIFIED },
  );
}

const json = (value: object): Uint8Array => Buffer.from(`${JSON.stringify(value, null, 2)}\n`);

/** Returns a file of `dist` and all that it imports, directly or not, in order of their names. */
function importedBy(entry: string): string[] {
  const found = new Set([entry]);
  // The set grows while it is walked.
  for (const file of found) {
    const { importedFiles } = ts.preProcessFile(readFileSync(new URL(file, ROOT), 'utf8'), true, true);
    for (const { fileName } of importedFiles)
      if (fileName.startsWith('./')) found.add(fileName.replace('./', 'dist/'));
  }
  return [...found].toSorted();
}
