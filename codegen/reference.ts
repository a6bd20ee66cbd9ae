import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Options of Redoc: code tables need the whole width, and every named schema has its place. */
const options = {
  layout: 'stacked',
  schemaDefinitionsTagName: 'Schemas',
  schemasExpansionLevel: '1',
  disableTelemetry: 'true',
};

/** Lets the browser itself ensure that the page asks for nothing from elsewhere. */
const policy =
  "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; font-src data:; base-uri 'none'";

/** Keeps a code in a table on one line. If there is no room for columns, puts the cells below each other. */
const style = `
@media (min-width: 1000px) { td:first-child code { white-space: nowrap; } }
@media (max-width: 999px) {
  thead { display: none !important; }
  table, tbody, tr, td { display: block !important; width: auto !important; }
  tr { border-bottom: 1px solid #8884; }
  td { border: 0 !important; padding-block: 4px !important; }
}
`;

/** Matches what Redoc would load from its makers: their logo, beside the words "API docs by". */
const mark = /https:\/\/cdn\.redoc\.ly\/redoc\/logo-mini(-full)?\.svg/g;
const localMark =
  'data:image/svg+xml,' +
  encodeURIComponent(
    '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="12"><text y="10" font-family="sans-serif" font-size="11">Redoc</text></svg>',
  );

/** Writes the reference page of openapi.yaml: one HTML file with everything that it needs. */
export async function buildReference(file: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  const flags = Object.entries(options).map(([name, value]) => `--openapi.${name}=${value}`);
  const command = [
    'node_modules/.bin/redocly',
    'build-docs',
    'openapi.yaml',
    '--inlineBundle',
    '-o',
    file,
    ...flags,
  ];
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  await promisify(execFile)(process.execPath, command, { cwd: root, env });

  const head = `<head>\n<meta http-equiv="Content-Security-Policy" content="${policy}">\n<style>${style}</style>`;
  const page = await readFile(file, 'utf8');
  await writeFile(file, page.replace('<head>', head).replaceAll(mark, localMark));
}

if (import.meta.main) {
  const file = 'build/reference/index.html';
  await buildReference(join(root, file));
  console.log(file);
}
