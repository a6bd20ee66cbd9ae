import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { openDatabase } from '../../src/catalog/sqlite/database.ts';
import { createSqliteStore } from '../../src/catalog/sqlite/store.ts';
import { auditCatalog } from './auditedCatalog.ts';
import { startScript } from './child.ts';
import { temporaryFolder } from './temporaryFolder.ts';
import { createRandom } from './random.ts';

const SEED = 7;
const KILLS = 20;
const LATEST_KILL_MS = 60;

test(
  'a process that is killed while it makes the file leaves one that opens',
  { timeout: 60_000 },
  async () => {
    console.log(`seed ${SEED}`);
    const random = createRandom(SEED);
    for (let kill = 0; kill < KILLS; kill += 1) {
      const folder = temporaryFolder();
      const maker = startScript('maker.ts', [folder]);
      await maker.line('making');
      await sleep(random.next() * LATEST_KILL_MS);
      maker.kill('SIGKILL');
      const { lines, signal } = await maker.ended;
      expect(signal).toBe('SIGKILL');
      const path = join(folder, `${lines.at(-1)!.slice('making '.length)}.db`);
      const store = createSqliteStore(openDatabase(path));
      expect(store.cursorKey).toHaveLength(32);
      store.close();
      const catalog = auditCatalog(path);
      expect([catalog.items.size, catalog.integrity()]).toEqual([0, { integrity_check: 'ok' }]);
      catalog.close();
    }
  },
);
