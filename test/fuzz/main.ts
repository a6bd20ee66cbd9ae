// npm run fuzz: rules against the service on a sandbox network, for as long as wanted.
import { parseArgs } from 'node:util';
import { openFilledService } from '../support/filledService.ts';
import { binaries, openPostgres } from '../postgres/server.ts';
import { createExchange } from './contract/exchange.ts';
import { contractRules } from './contract/index.ts';
import { complaintOf, type Rule } from './contract/rule.ts';
import { settleRule } from './settle/index.ts';
import { openSharedDatabase } from './settle/sharedDatabase.ts';

const USAGE = `npm run fuzz -- [contract | settle] [--minutes N | --count N] [--seed N] [--keep]

  contract     tries every rule of openapi.yaml in rounds, each with other inputs, against the service on a sandbox
               network; an input is a request (default)
  settle       random schedules of payments, faults, kills and ledgers, against a model of the ledger, for one
               instance and for several on one database; an input is a step of a schedule, and each seed is a schedule

  --minutes N  for about N minutes (default: 5)
  --count N    with N inputs at least
  --seed N     starts with the inputs of this seed (default: by chance; it is printed)
  --keep       contract: leaves the service running after the first complaint, for its curl line; ends with Ctrl-C`;

const DEFAULT_MINUTES = 5;
/** A round is told of when the last one was told of this long ago. */
const TOLD_EVERY_MS = 10_000;

const options = readOptions();
if (options === undefined) {
  console.error(USAGE);
  process.exitCode = 2;
} else {
  process.exitCode = (await (options.what === 'settle' ? fuzzSettle(options) : fuzzContract(options)))
    ? 0
    : 1;
}

interface Options {
  readonly what: 'contract' | 'settle';
  readonly seed: number;
  readonly goesOn: (tried: number, startedAtMs: number) => boolean;
  readonly keeps: boolean;
}

async function fuzzContract(options: Options): Promise<boolean> {
  await using service = await openFilledService();
  using exchange = createExchange(service.url);
  const rules = await contractRules(service, exchange).catch((error: unknown) => {
    // So broken that not even the catalog could be read.
    console.log(`\nBROKEN  before the first rule\n${complaintOf(error)}\n`);
    return undefined;
  });
  if (rules === undefined) return false;
  return await fuzz(rules, options, async () => {
    if (options.keeps)
      await new Promise(() => console.log(`${service.url} is still there; end it with Ctrl-C`));
  });
}

async function fuzzSettle(options: Options): Promise<boolean> {
  const postgres = binaries === undefined ? undefined : await openPostgres();
  if (postgres === undefined) console.log('skipped: several instances, as this machine has no PostgreSQL');
  const shared = postgres && (await openSharedDatabase(await postgres.database()));
  try {
    const rules = [settleRule(), ...(shared ? [settleRule({}, shared)] : [])];
    const holds = await fuzz(rules, options);
    for (const { name, reached } of rules) {
      console.log(name);
      for (const [what, times] of [...reached].sort()) console.log(`${String(times).padStart(8)}  ${what}`);
    }
    return holds;
  } finally {
    await shared?.close();
    await postgres?.close();
  }
}

/** Whether all rules hold. */
async function fuzz(
  rules: readonly Rule[],
  { seed: firstSeed, goesOn }: Options,
  onBroken: () => Promise<void> = async () => {},
): Promise<boolean> {
  const broken = new Set<string>();
  const startedAtMs = performance.now();
  let toldAtMs = -Infinity;
  let tried = 0;
  console.log(`${rules.length} ${rules.length === 1 ? 'rule' : 'rules'}, seed ${firstSeed}`);
  for (let seed = firstSeed; goesOn(tried, startedAtMs) && broken.size < rules.length; seed += 1) {
    for (const rule of rules) {
      // Told once; the others go on.
      if (broken.has(rule.name)) continue;
      showProgress(`seed ${seed}: ${tried} inputs, ${rule.name}`);
      const { tried: inputs, complaint } = await rule.find({ seed, runs: rule.runs });
      tried += inputs;
      if (complaint === undefined) continue;
      broken.add(rule.name);
      showProgress('');
      console.log(`\nBROKEN  ${rule.name}\n${complaint}\n  found with --seed ${seed}\n`);
      await onBroken();
    }
    showProgress('');
    const isLast = !goesOn(tried, startedAtMs) || broken.size === rules.length;
    if (!isLast && performance.now() - toldAtMs < TOLD_EVERY_MS) continue;
    toldAtMs = performance.now();
    const seconds = Math.round((toldAtMs - startedAtMs) / 1_000);
    console.log(
      `seed ${seed} done: ${tried} inputs in ${seconds} s, ${broken.size} of ${rules.length} rules broken`,
    );
  }
  return broken.size === 0;
}

/** A line that the next one replaces, where somebody looks. */
function showProgress(text: string): void {
  if (process.stdout.isTTY) process.stdout.write(`\r\x1b[K${text.slice(0, process.stdout.columns - 1)}`);
}

function readOptions(): Options | undefined {
  try {
    const {
      values: { minutes, count, seed, keep = false },
      positionals: [what = 'contract', ...more],
    } = parseArgs({
      allowPositionals: true,
      options: {
        minutes: { type: 'string' },
        count: { type: 'string' },
        seed: { type: 'string' },
        keep: { type: 'boolean' },
      },
    });
    if ((what !== 'contract' && what !== 'settle') || more.length > 0)
      throw new Error(`there is nothing called ${[what, ...more].join(' ')}`);
    const firstSeed = seed === undefined ? Math.floor(Math.random() * 2 ** 31) : numberOf('seed', seed);
    if (count !== undefined) {
      const wanted = numberOf('count', count);
      return { what, seed: firstSeed, keeps: keep, goesOn: (tried) => tried < wanted };
    }
    const ms = (minutes === undefined ? DEFAULT_MINUTES : numberOf('minutes', minutes)) * 60_000;
    return {
      what,
      seed: firstSeed,
      keeps: keep,
      goesOn: (tried, since) => tried === 0 || performance.now() - since < ms,
    };
  } catch (error) {
    console.error(`${complaintOf(error)}\n`);
    return undefined;
  }
}

function numberOf(name: string, text: string): number {
  const value = Number(text);
  if (text === '' || !Number.isFinite(value) || value < 0)
    throw new Error(`--${name} must be a number, not ${text}`);
  return value;
}
