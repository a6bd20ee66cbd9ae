import type { FeesToday } from '../../journal/index.ts';
import { ACCOUNT_STATES, type SchemeState } from '../../scheme/index.ts';
import { NODE_STATES } from '../../stellar/rpc/member.ts';
import { seconds, type Instruments } from './instruments.ts';
import type { Snapshot } from './sources.ts';

/** Stroops per day; undefined for no limit. */
export type FeeBudgets = Readonly<Record<keyof FeesToday, number | undefined>>;

const BUDGETED = ['all', 'anonymous'] as const satisfies readonly (keyof FeesToday)[];

/** Returns a function that sets the gauges to what a snapshot shows. */
export function createGauges(instruments: Instruments, feeBudgets: FeeBudgets): (snapshot: Snapshot) => void {
  const checks = instruments.gauge(
    'check_ok',
    '1 if a check of /ready passes, else 0; by the name of the check.',
    ['check'],
  );
  const warnings = instruments.gauge(
    'check_warning',
    '1 if a check of /ready passes but warns, else 0; by the name of the check.',
    ['check'],
  );
  const setAccounts = createAccountGauges(instruments);
  const setQueues = createQueueGauges(instruments);
  const setLedger = createLedgerGauges(instruments);
  const setStores = createStoreGauges(instruments, feeBudgets);
  const setHttp = createHttpGauges(instruments);
  const setWebhooks = createWebhookGauges(instruments);
  return (snapshot) => {
    for (const { name, ok, message } of snapshot.checks) {
      checks.set({ check: name }, ok ? 1 : 0);
      warnings.set({ check: name }, ok && message !== undefined ? 1 : 0);
    }
    setAccounts(snapshot.scheme);
    setQueues(snapshot.scheme);
    setLedger(snapshot);
    setStores(snapshot);
    setHttp(snapshot);
    setWebhooks(snapshot);
  };
}

function createAccountGauges({ gauge }: Instruments) {
  const accounts = gauge('accounts', `Channel accounts, by state: ${ACCOUNT_STATES.join(', ')}.`, ['state']);
  const balances = gauge(
    'account_balance_stroops',
    'Balance of each account of the facilitator, by address and role (channel, fee_bump).',
    ['account', 'role'],
  );
  const low = gauge('low_accounts', 'Accounts that pay fees and have too few lumens or are missing.');
  const feeBumpLow = gauge('fee_bump_low', '1 if the fee account has too few lumens or is missing, else 0.');
  return ({ accounts: channels, feeBump }: SchemeState): void => {
    for (const state of ACCOUNT_STATES)
      accounts.set({ state }, channels.filter((account) => account.state === state).length);
    balances.reset();
    for (const { address: account, balanceStroops } of channels)
      if (balanceStroops !== undefined) balances.set({ account, role: 'channel' }, balanceStroops);
    if (feeBump?.balanceStroops !== undefined)
      balances.set({ account: feeBump.address, role: 'fee_bump' }, feeBump.balanceStroops);
    const lowChannels = channels.filter(({ isLow }) => isLow).length;
    const lowFeeBumps = feeBump?.isLow === true ? 1 : 0;
    low.set(lowChannels + lowFeeBumps);
    feeBumpLow.set(lowFeeBumps);
  };
}

function createQueueGauges({ gauge }: Instruments) {
  const waiting = gauge('waiting_payments', 'Payments waiting for a channel account.');
  const places = gauge('waiting_places', 'Places that waiting payments take; a large one takes several.');
  const maxPlaces = gauge('waiting_places_limit', 'Places that waiting payments may take.');
  const oldest = gauge('waiting_oldest_seconds', 'How long the first payment in line has waited.');
  const verifying = gauge('verifying_settlements', 'Settlements being verified.');
  const unverified = gauge('unverified_settlements', 'Settlements waiting to be verified.');
  const inFlight = gauge('transactions_in_flight', 'Transactions sent that have no outcome yet.');
  return (state: SchemeState): void => {
    waiting.set(state.waiting.payments);
    places.set(state.waiting.places);
    maxPlaces.set(state.waiting.maxPlaces);
    oldest.set(seconds(state.waiting.oldestMs));
    verifying.set(state.verifying.underWay);
    unverified.set(state.verifying.waiting);
    inFlight.set(state.inFlight);
  };
}

function createLedgerGauges({ gauge }: Instruments) {
  const up = gauge('rpc_up', '1 if an RPC node returned the balances for this scrape, else 0.');
  const latest = gauge('ledger_sequence', 'Latest ledger that any RPC node has reported.');
  const lag = gauge('ledger_lag_seconds', 'Time since the latest ledger was first seen.');
  const states = gauge(
    'rpc_node_state',
    `1 for the state that an RPC node is in, 0 for the others: ${NODE_STATES.join(', ')}. Of nodes with the same origin, the last counts.`,
    ['node', 'state'],
  );
  const rests = gauge('rpc_node_rest_seconds', 'How much longer an RPC node rests, and is asked last.', [
    'node',
  ]);
  const ledgers = gauge('rpc_node_ledger_sequence', 'Latest ledger that an RPC node has reported.', ['node']);
  return ({ scheme: { ledger, nodes }, isRpcUp }: Snapshot): void => {
    up.set(isRpcUp ? 1 : 0);
    latest.set(ledger.latest);
    if (ledger.lagMs !== undefined) lag.set(seconds(ledger.lagMs));
    for (const { rpc: node, state: current, restMs, latestLedger } of nodes) {
      for (const state of NODE_STATES) states.set({ node, state }, state === current ? 1 : 0);
      rests.set({ node }, seconds(restMs));
      if (latestLedger !== undefined) ledgers.set({ node }, latestLedger);
    }
  };
}

function createStoreGauges({ gauge, counter }: Instruments, feeBudgets: FeeBudgets) {
  const listings = gauge('catalog_listings', 'Listings in the catalog.');
  const indexed = gauge(
    'catalog_hybrid_indexed_listings',
    'Listings in the index of the hybrid ranking, which searches use once it has all.',
  );
  const waiting = gauge('catalog_waiting_requests', 'Requests waiting for a thread of the catalog.');
  const threads = gauge('catalog_threads_up', '1 if all threads of the catalog are running, else 0.');
  const failing = gauge('catalog_failing', '1 if the last listing could not be written, else 0.');
  const spent = gauge(
    'fees_today_stroops',
    "Stroops counted against today's fee budgets (UTC): fees charged, and what open bids may cost; by callers (all, anonymous).",
    ['callers'],
  );
  const budget = gauge(
    'fee_budget_stroops',
    'Daily fee budget, by callers (all, anonymous); +Inf if none is set.',
    ['callers'],
  );
  const lost = counter('log_lines_lost_total', 'Log lines that could not be written.');
  for (const callers of BUDGETED) budget.set({ callers }, feeBudgets[callers] ?? Infinity);
  return ({ catalog, feesToday, lostLogLines }: Snapshot): void => {
    if (catalog.listings !== undefined) listings.set(catalog.listings);
    if (catalog.hybrid !== undefined) indexed.set(catalog.hybrid.indexed);
    waiting.set(catalog.waiting);
    threads.set(catalog.areThreadsUp ? 1 : 0);
    failing.set(catalog.hasFailed ? 1 : 0);
    for (const callers of BUDGETED) if (feesToday !== undefined) spent.set({ callers }, feesToday[callers]);
    lost.reset();
    lost.inc(lostLogLines);
  };
}

function createWebhookGauges({ gauge }: Instruments) {
  const pending = gauge('webhook_pending_events', 'Events waiting for the receiver.');
  const oldest = gauge('webhook_oldest_seconds', 'How long the oldest pending event has waited.');
  const dead = gauge(
    'webhook_dead_letters',
    'Dead letters: events that were given up and can be sent again.',
  );
  return ({ webhooks }: Snapshot): void => {
    if (webhooks === undefined) return;
    pending.set(webhooks.pending);
    oldest.set(seconds(webhooks.oldestMs));
    dead.set(webhooks.dead);
  };
}

function createHttpGauges({ gauge }: Instruments) {
  const connections = gauge('connections', 'Open connections.');
  const maxConnections = gauge('connections_limit', 'Connections that may be open at once.');
  const places = gauge('request_places', 'Requests in progress, by operation.', ['operation']);
  const maxPlaces = gauge('request_places_limit', 'Requests that may be in progress at once, by operation.', [
    'operation',
  ]);
  return ({ http }: Snapshot): void => {
    connections.set(http.connections);
    maxConnections.set(http.maxConnections);
    for (const { operationId: operation, taken, inAll } of http.places) {
      places.set({ operation }, taken);
      maxPlaces.set({ operation }, inAll);
    }
  };
}
