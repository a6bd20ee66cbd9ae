import { IMPORT_LIMITS } from '../limits.ts';
import { readImported } from './read.ts';
import type { ImportedListing, ImportRefusal, Imports } from './types.ts';

export interface ImportRequest {
  /** The origin of the facilitator that they are from. */
  readonly source: string;
  /** As that facilitator lists them: any JSON values. */
  readonly items: readonly unknown[];
}

export interface ImportSummary {
  /** Items that the catalog has now. */
  readonly imported: number;
  /** Those of them that are new, or say something else than before. */
  readonly changed: number;
  /** Listings of an earlier import that this one does not have. */
  readonly removed: number;
  readonly skipped: readonly (ImportRefusal & { readonly index: number })[];
}

/** Makes what was imported from a source the same as `items`. Hears how many of them are done. */
export async function importListings(
  imports: Imports,
  { source, items }: ImportRequest,
  onProgress: (done: number) => void,
): Promise<ImportSummary> {
  const before = await imports.ofSource(source);
  const skipped: ImportSummary['skipped'][number][] = [];
  const placed = new Set<number>();
  let [imported, changed] = [0, 0];
  for (let from = 0; from < items.length; from += IMPORT_LIMITS.perStep) {
    const step = items.slice(from, from + IMPORT_LIMITS.perStep).map((item) => readImported(item, source));
    const outcomes = await imports.put(step.filter((read): read is ImportedListing => !('code' in read)));
    let next = 0;
    for (const [at, read] of step.entries()) {
      const outcome = 'code' in read ? read : outcomes[next++]!;
      if ('code' in outcome) {
        skipped.push({ index: from + at, ...outcome });
        continue;
      }
      imported += 1;
      changed += Number(outcome.isChanged);
      placed.add(outcome.id);
    }
    onProgress(from + step.length);
  }
  const gone = before.filter((id) => !placed.has(id));
  for (let from = 0; from < gone.length; from += IMPORT_LIMITS.perStep)
    await imports.remove(gone.slice(from, from + IMPORT_LIMITS.perStep));
  return { imported, changed, removed: gone.length, skipped };
}
