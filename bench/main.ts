/** `npm run bench -- verify | settle | search`: this service beside the public implementation and plain FTS5. */
import { benchSearch } from './search.ts';
import { benchSettle } from './settle.ts';
import { benchVerify } from './verify.ts';

const measurements: Record<string, (argument?: string) => Promise<void>> = {
  verify: benchVerify,
  settle: benchSettle,
  search: benchSearch,
};
const name = process.argv[2] ?? '';
const measure = Object.hasOwn(measurements, name) ? measurements[name] : undefined;
if (measure === undefined) {
  console.error(`usage: npm run bench -- ${Object.keys(measurements).join(' | ')}`);
  process.exit(64);
}
await measure(process.argv[3]);
