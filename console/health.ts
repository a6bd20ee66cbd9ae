/** Finds what is wrong in the overview. */
import type { CheckName, Overview } from './parts/api.ts';
import { counted } from './parts/numbers.ts';
import { age } from './parts/time.ts';
import { shortened } from './parts/visible.ts';

export interface Trouble {
  /** `bad` if a check fails or payments are refused, `watch` if that may happen soon. */
  readonly level: 'bad' | 'watch';
  readonly where: string;
  readonly text: string;
}

export const CHECKS: Readonly<Record<CheckName, string>> = {
  rpc: 'RPC nodes',
  accounts: 'Channel accounts',
  journal: 'Journal',
  catalog: 'Catalog',
  keys: 'Keys of callers',
  policy: 'Policy',
};

/** If more than this share of the budget is spent, the console says so. */
export const BUDGET_WATCH = 0.8;
const LONG_WAIT_SECONDS = 15;
const NAMED_LIMIT = 4;
/** If an event has waited for this long, the console says so. A few failed attempts are normal. */
const LATE_WEBHOOK_MS = 300_000;

/** Returns what is wrong, the worst first. */
export function troublesOf(overview: Overview): Trouble[] {
  const troubles = [
    ...overview.readiness.checks.flatMap(checkTroubles),
    ...nodeTroubles(overview),
    ...accountTroubles(overview),
    ...paymentTroubles(overview),
    ...webhookTroubles(overview),
  ];
  return [
    ...troubles.filter(({ level }) => level === 'bad'),
    ...troubles.filter(({ level }) => level !== 'bad'),
  ];
}

/** A check that passes with a message warns. */
function checkTroubles({ name, ok, message }: Overview['readiness']['checks'][number]): Trouble[] {
  if (ok && message === undefined) return [];
  return [{ level: ok ? 'watch' : 'bad', where: CHECKS[name], text: message ?? 'It fails.' }];
}

/** Returns a few words that stay the same while the trouble stays the same. */
export function headlineOf(troubles: readonly Trouble[]): string {
  const places = (level: Trouble['level']): string =>
    [...new Set(troubles.filter((one) => one.level === level).map(({ where }) => where))].join(', ');
  if (places('bad') !== '') return `Something is wrong: ${places('bad')}`;
  if (places('watch') !== '') return `It works, but look at: ${places('watch')}`;
  return 'All is well';
}

const NODE_TROUBLES: Readonly<Partial<Record<Overview['nodes'][number]['state'], string>>> = {
  resting: 'failed several times in a row, and is asked last',
  stale: 'is stale: it sees no new ledgers, while other nodes do',
  foreign: 'belongs to another network, and is not asked',
};

function nodeTroubles({ nodes, readiness }: Overview): Trouble[] {
  // The failed check already names the nodes.
  if (readiness.checks.some(({ name, ok }) => name === 'rpc' && !ok)) return [];
  return nodes.flatMap(({ rpc, state }): Trouble[] => {
    const text = NODE_TROUBLES[state];
    return text === undefined ? [] : [{ level: 'watch', where: CHECKS.rpc, text: `${rpc} ${text}.` }];
  });
}

const ACCOUNT_TROUBLES: Readonly<Partial<Record<Overview['accounts'][number]['state'], string>>> = {
  low: 'too few lumens: fund it',
  missing: 'no account on the network: create it',
  resting: 'rejected by the network: see the log',
};

function accountTroubles({ accounts }: Overview): Trouble[] {
  return Object.entries(ACCOUNT_TROUBLES).flatMap(([state, text]): Trouble[] => {
    const addresses = accounts.filter((one) => one.state === state).map(({ address }) => address);
    if (addresses.length === 0) return [];
    const named = addresses.slice(0, NAMED_LIMIT).map(shortened).join(', ');
    const others = addresses.length > NAMED_LIMIT ? `, and ${addresses.length - NAMED_LIMIT} more` : '';
    return [{ level: 'watch', where: CHECKS.accounts, text: `${named}${others}: ${text}.` }];
  });
}

function budgetTroubles(name: string, todayStroops: number, budgetStroops = Infinity): Trouble[] {
  const spent = todayStroops / budgetStroops;
  if (spent < BUDGET_WATCH) return [];
  const part = spent >= 1 ? `${name} is` : `${Math.floor(spent * 100)} % of ${name.toLowerCase()} is`;
  return [
    { level: spent >= 1 ? 'bad' : 'watch', where: 'Fees', text: `${part} spent. It renews at 00:00 UTC.` },
  ];
}

function paymentTroubles({ fees, waiting }: Overview): Trouble[] {
  const { todayStroops, budgetStroops, anonymous } = fees;
  const troubles = budgetTroubles('The daily budget', todayStroops, budgetStroops);
  if (anonymous !== undefined)
    troubles.push(
      ...budgetTroubles(
        'The daily budget of callers without a key',
        anonymous.todayStroops,
        anonymous.budgetStroops,
      ),
    );
  if (waiting.oldestSeconds >= LONG_WAIT_SECONDS)
    troubles.push({
      level: 'watch',
      where: 'Payments',
      text: `${counted(waiting.payments, 'payment')} waiting for a channel account, the longest for ${age(waiting.oldestSeconds * 1000)}.`,
    });
  return troubles;
}

export function webhookTroubles({ at, webhooks }: Pick<Overview, 'at' | 'webhooks'>): Trouble[] {
  if (webhooks === undefined) return [];
  const { pending, oldestAt = at, dead, lastFailure } = webhooks;
  const troubles: string[] = [];
  const waitedMs = Date.parse(at) - Date.parse(oldestAt);
  if (waitedMs >= LATE_WEBHOOK_MS) {
    const why = lastFailure === undefined ? '' : ` The last attempt failed: ${lastFailure.text}.`;
    troubles.push(`${counted(pending, 'event')} not delivered, the oldest for ${age(waitedMs)}.${why}`);
  }
  if (dead > 0) troubles.push(`${counted(dead, 'dead letter')}: send them again from this page.`);
  return troubles.map((text) => ({ level: 'watch', where: 'Webhooks', text }));
}
