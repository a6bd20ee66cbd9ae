/** `npm run bench -- …`: this service beside the public implementation, and its catalog beside plain FTS5. */
import { benchBurst } from './burst.ts';
import { updateReadme } from './readme.ts';
import { record } from './results.ts';
import { benchSearch } from './search.ts';
import { benchSettle } from './settle.ts';
import { benchSoak } from './soak.ts';
import { benchVerify } from './verify.ts';

const USAGE = `usage: npm run bench -- …
  verify             calls, CPU, latency and throughput of verify; 3 minutes
  settle             calls, CPU and latency of settle; 5 minutes
  burst              payments all at once, for 1, 5, 20 and 50 submitters; 13 minutes
  soak [minutes]     memory and event loop under steady traffic; 10 minutes unless told otherwise
  … rehearsal        any of the four in little time, without a result: 1 to 4 minutes
  readme             puts the results in bench/results into the README
  search [sizes]     the catalog in 1000,10000,100000,1000000 listings unless told otherwise; long`;

const REHEARSAL = 'rehearsal';
const EXIT_USAGE = 64;
const EXIT_INTERRUPTED = 130;

// Ends the bench's processes, whose channel breaks, and takes its files along (see field.ts).
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => process.exit(EXIT_INTERRUPTED));

const [name, argument] = process.argv.slice(2);
const isRehearsal = argument === REHEARSAL;
const minutes = Number(argument);
if (name === 'verify') await record(() => benchVerify(isRehearsal), isRehearsal);
else if (name === 'settle') await record(() => benchSettle(isRehearsal), isRehearsal);
else if (name === 'burst') await record(() => benchBurst(isRehearsal), isRehearsal);
else if (name === 'soak' && (argument === undefined || isRehearsal))
  await record(() => benchSoak(isRehearsal), isRehearsal);
else if (name === 'soak' && minutes > 0) await record(() => benchSoak(false, minutes), false);
else if (name === 'readme') await updateReadme();
else if (name === 'search') await benchSearch(argument);
else {
  console.error(USAGE);
  process.exit(EXIT_USAGE);
}
