// A process of its own that opens a catalog's file and lists a resource: prints `ok`, or the name and message of what
// went wrong. Waits for a line on its input first, so that several can start at once.
import { once } from 'node:events';
import { openDatabase } from '../../../src/catalog/sqlite/database.ts';
import { createSqliteStore } from '../../../src/catalog/sqlite/store.ts';
import { settlementOf } from '../drafts.ts';

const [path = '', name = ''] = process.argv.slice(2);
process.stdout.write('ready\n');
await once(process.stdin, 'data');
process.stdin.destroy();
try {
  const db = openDatabase(path);
  // On a busy machine another process holds the lock for longer than a settlement would wait.
  db.exec('PRAGMA busy_timeout = 10000');
  const store = createSqliteStore(db);
  store.put([settlementOf({ name })]);
  store.close();
  process.stdout.write('ok\n');
} catch (error) {
  process.stdout.write(`${String(error)}\n`);
}
