import {
  importListings,
  openImportsInFile,
  openSharedImports,
  type ImportRequest,
  type ImportSummary,
} from '../../catalog/index.ts';
import { IMPORT_LIMITS } from '../../catalog/limits.ts';
import { EXIT_FAILED } from '../../process/exitCodes.ts';
import type { Context, ProcessEnvironment } from '../command.ts';
import { Failure } from '../failure.ts';
import { printable, printableJson } from '../printable.ts';
import { BUSY_TIMEOUT_MS, withCatalog } from '../withCatalog.ts';
import { readItems } from './pages.ts';

interface Order {
  readonly file: string;
  readonly source: string;
  readonly json: boolean;
}

const REPORT_EVERY_MS = 1_000;

/** Makes what was imported from a source the same as the items of a file, and says what became of them. Throws a Failure. */
export async function importCatalog(
  { file, source, json }: Order,
  { environment, terminal }: Context,
): Promise<void> {
  const items = await readItems(file, IMPORT_LIMITS.bytes);
  if (items.length > IMPORT_LIMITS.maxListings)
    throw new Failure(EXIT_FAILED, `the import has more than ${IMPORT_LIMITS.maxListings} items`);
  let nextAtMs = performance.now() + REPORT_EVERY_MS;
  const onProgress = (done: number): void => {
    if (performance.now() < nextAtMs) return;
    nextAtMs += REPORT_EVERY_MS;
    terminal.note(`${done} of ${items.length} items`);
  };
  const summary = await importInto(environment, { source, items }, onProgress);
  for (const { index, code, message } of summary.skipped)
    terminal.note(`item ${index} is skipped: ${code}: ${printable(message)}`);
  const { imported, changed, removed, skipped } = summary;
  if (json) return terminal.say(printableJson({ source, ...summary }));
  terminal.say(
    `${imported} imported from ${source} (${changed} new or changed), ${removed} removed, ${skipped.length} skipped.`,
  );
}

function importInto(
  environment: ProcessEnvironment,
  request: ImportRequest,
  onProgress: (done: number) => void,
): Promise<ImportSummary> {
  return withCatalog(environment, {
    async inFile(dbPath) {
      const { imports, close } = openImportsInFile(dbPath, { busyTimeoutMs: BUSY_TIMEOUT_MS });
      try {
        return await importListings(imports, request, onProgress);
      } finally {
        close();
      }
    },
    inDatabase: async (query) => importListings(await openSharedImports(query), request, onProgress),
  });
}
