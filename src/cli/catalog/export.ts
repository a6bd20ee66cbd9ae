import { shownInDatabase, shownInFile, type ShownListings } from '../../catalog/index.ts';
import type { Context } from '../command.ts';
import { counted } from '../counted.ts';
import { printable } from '../printable.ts';
import { BUSY_TIMEOUT_MS, withCatalog } from '../withCatalog.ts';
import { withNewFile } from './newFile.ts';

/** Takes a part of the export. Returns false once nobody wants more. */
type Write = (text: string) => Promise<boolean>;

/** Writes all listings that are shown as one page of the list endpoint. Throws a Failure. */
export async function exportCatalog(
  out: string | undefined,
  { environment, terminal }: Context,
): Promise<void> {
  const exportTo = (write: Write): Promise<number | undefined> =>
    withCatalog(environment, {
      inFile: (dbPath) => writePage(shownInFile(dbPath, { busyTimeoutMs: BUSY_TIMEOUT_MS }), write),
      inDatabase: (query) => writePage(shownInDatabase(query), write),
    });
  const count =
    out === undefined ? await exportTo((text) => terminal.write(text)) : await withNewFile(out, exportTo);
  if (count !== undefined) terminal.note(`${counted(count, 'listing')} exported`);
}

/** Returns the number of listings; undefined if its reader left before the end. */
async function writePage(listings: ShownListings, write: Write): Promise<number | undefined> {
  let total = 0;
  if (!(await write('{"x402Version":2,"items":['))) return undefined;
  for await (const items of listings) {
    // Sellers wrote the texts: none may control a terminal.
    const lines = items.map((item, at) => `${total + at === 0 ? '' : ','}\n${printable(item)}`);
    total += items.length;
    if (!(await write(lines.join('')))) return undefined;
  }
  const pagination = JSON.stringify({ limit: total, offset: 0, total });
  return (await write(`\n],"pagination":${pagination}}\n`)) ? total : undefined;
}
