/** `npm run bench -- …`: this service beside the public implementation, and its catalog beside plain FTS5. */
import { benchAttack } from './attack.ts';
import { benchBurst } from './burst.ts';
import { benchInstances } from './instances.ts';
import { benchMetrics } from './metrics.ts';
import { benchOperator } from './operator.ts';
import { updateReadme } from './readme.ts';
import { record, type Result } from './results.ts';
import { benchRelevance } from './relevance.ts';
import { benchSearch } from './search.ts';
import { benchSettle } from './settle.ts';
import { benchSoak } from './soak.ts';
import { benchStart } from './start.ts';
import { benchVerify } from './verify.ts';

const USAGE = `usage: npm run bench -- …
  verify             calls, CPU, latency and throughput of verify; 4 minutes
  settle             calls, CPU and latency of settle; 5 minutes
  burst              payments all at once, for 1, 5, 20 and 50 submitters; 13 minutes
  soak [minutes]     memory and event loop under steady traffic; 10 minutes unless told otherwise
  attack             what honest callers get while the server is attacked; 8 minutes
  metrics            CPU of verify with metrics and without; 5 minutes
  operator           1,000,000 settlements at the operator's port, and CPU of tracing; 7 minutes
  start              time to the first answer, and memory when idle; 2 minutes
  instances          several instances on PostgreSQL; 15 minutes
  relevance [folder] what searches find, by graded questions; with a Model2Vec model in a folder; 10 seconds
  … rehearsal        any of the nine in little time, without a result: 1 to 3 minutes
  readme             puts the results of bench/results into the README, and as pages into build/bench
  search [sizes]     the catalog in 1000,10000,100000,1000000 listings unless told otherwise; long`;

const REHEARSAL = 'rehearsal';
const EXIT_USAGE = 64;
const EXIT_INTERRUPTED = 130;

// Ends the bench's processes, whose channel breaks, and takes its files along (see field.ts).
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => process.exit(EXIT_INTERRUPTED));

const measurements: Record<string, (isRehearsal: boolean) => Promise<Result>> = {
  verify: benchVerify,
  settle: benchSettle,
  burst: benchBurst,
  soak: benchSoak,
  attack: benchAttack,
  metrics: benchMetrics,
  operator: benchOperator,
  instances: benchInstances,
  start: benchStart,
};

const [name = '', argument] = process.argv.slice(2);
const measure = Object.hasOwn(measurements, name) ? measurements[name] : undefined;
const isRehearsal = argument === REHEARSAL;
if (measure && (argument === undefined || isRehearsal)) await record(() => measure(isRehearsal), isRehearsal);
else if (name === 'soak' && Number(argument) > 0)
  await record(() => benchSoak(false, Number(argument)), false);
else if (name === 'relevance')
  await record(() => benchRelevance(isRehearsal ? undefined : argument), argument !== undefined);
else if (name === 'readme' && argument === undefined) await updateReadme();
else if (name === 'search') await benchSearch(argument);
else {
  console.error(USAGE);
  process.exit(EXIT_USAGE);
}
