// Makes one empty catalog after the other until it is killed: node maker.ts <folder>
import { writeSync } from 'node:fs';
import { join } from 'node:path';
import { openDatabase } from '../../../src/catalog/sqlite/database.ts';

const [folder = ''] = process.argv.slice(2);
for (let made = 0; ; made += 1) {
  writeSync(1, `making ${made}\n`);
  openDatabase(join(folder, `${made}.db`)).close();
}
