import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** Until the test ends. A test that runs beside others says by its own `onTestFinished` which one. */
export function temporaryFolder(finished: (remove: () => void) => void = onTestFinished): string {
  const folder = mkdtempSync(join(tmpdir(), 'catalog-'));
  finished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
