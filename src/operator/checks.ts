import type { CheckName } from '../contract/index.ts';
import { within, type ChannelAccountState, type SchemeState } from '../scheme/index.ts';
import type { Check } from './readiness.ts';

export interface ChecksDeps {
  scheme: { state(): SchemeState; readBalances(): Promise<void> };
  journal: { checkWritable(): void | Promise<void> };
  catalog: { checkWritable(): Promise<void> };
  keys: { isCurrent(): boolean };
  policy: { problem(): string | undefined };
}

const BALANCES_WITHIN_MS = 4_000;

/** The network may take this long for a ledger. A node that has seen none for longer is stale. */
const FRESH_WITHIN_MS = 20_000;

/** Returns the checks that must pass for payments to settle. A failed check says what is wrong, and what to do. */
export function createChecks({
  scheme,
  journal,
  catalog,
  keys,
  policy,
}: ChecksDeps): Record<CheckName, Check> {
  return {
    async rpc() {
      const fault = await readBalances(scheme);
      return rpcProblem(scheme.state(), fault);
    },
    async accounts() {
      await readBalances(scheme);
      return accountsProblem(scheme.state());
    },
    journal: () => writeProblem('journal', () => journal.checkWritable()),
    catalog: () => writeProblem('catalog', () => catalog.checkWritable()),
    keys: () =>
      keys.isCurrent() ? undefined : 'The keys of callers cannot be read: check where they are stored.',
    policy() {
      const problem = policy.problem();
      return problem === undefined
        ? undefined
        : { warning: `The policy stays as it was, since its file is wrong: ${problem}` };
    },
  };
}

/** Returns why no node answered, if none did. One call per ledger serves all checks. */
async function readBalances(scheme: ChecksDeps['scheme']): Promise<Error | undefined> {
  const outcome = await within(
    scheme.readBalances().then(
      () => 'read' as const,
      (err: unknown) => err as Error,
    ),
    BALANCES_WITHIN_MS,
  );
  return outcome === 'read'
    ? undefined
    : (outcome ?? new Error(`none has for ${BALANCES_WITHIN_MS / 1000} s`));
}

async function writeProblem(
  what: 'journal' | 'catalog',
  write: () => void | Promise<void>,
): Promise<string | undefined> {
  try {
    await write();
    return undefined;
  } catch (err) {
    const why = (err as Error).message;
    return `The ${what} cannot be written (${why}): check its disk, or the database.`;
  }
}

function rpcProblem({ nodes, ledger }: SchemeState, fault: Error | undefined): string | undefined {
  const states = nodes.map(({ rpc, state }) => `${rpc} ${STATES[state]}`).join(', ');
  const advice = 'Check the nodes, or name others in RPC_URL.';
  if (!nodes.some(({ state }) => state === 'sound')) return `No RPC node is usable: ${states}. ${advice}`;
  if (ledger.lagMs !== undefined && ledger.lagMs > FRESH_WITHIN_MS)
    return `No RPC node has seen a new ledger for ${Math.round(ledger.lagMs / 1000)} s: ${states}. ${advice}`;
  return fault && `No RPC node answers (${fault.message}). ${advice}`;
}

const STATES: Readonly<Record<SchemeState['nodes'][number]['state'], string>> = {
  sound: 'answers',
  resting: 'fails',
  stale: 'is stale',
  foreign: 'belongs to another network',
  unknown: 'has not answered',
};

/** `elsewhere` is usable: another instance hands its accounts over if this one needs them. */
const USABLE: readonly ChannelAccountState[] = ['free', 'busy', 'held', 'elsewhere'];

function accountsProblem({ accounts, feeBump }: SchemeState): string | undefined {
  const areKnown = accounts.some(
    ({ state, balanceStroops }) => balanceStroops !== undefined || state === 'missing',
  );
  if (!areKnown) return 'The balances of the accounts are not known: no RPC node has told them yet.';
  if (feeBump?.isLow === true) return `The fee account ${feeBump.address} has too few lumens: fund it.`;
  // Whatever an account does at the moment, it can pay for nothing more if it is low.
  const counts = Map.groupBy(accounts, ({ state, isLow }) =>
    isLow && USABLE.includes(state) ? 'low' : state,
  );
  if (USABLE.some((state) => counts.has(state))) return undefined;
  const states = [...counts].map(([state, of]) => `${of.length} ${state}`).join(', ');
  return `No channel account can carry a payment: ${states}. Fund them, or read the log.`;
}
