import type { Network } from '../../../sandbox/network.ts';
import { judgeSettlement, judgeVerdict, type Call } from './answers.ts';
import { createDisk, type Disk } from './disk.ts';
import { createNetworkFunds } from './funds.ts';
import { createRemoteNode, type Trouble } from './nodes.ts';
import { createCustomers, type Customers, type Payment } from './payments.ts';
import {
  createProcess,
  type KillPoint,
  type ProcessDeps,
  type Sabotage,
  type ServiceProcess,
  type Settings,
} from './serviceProcess.ts';
import { NODES, SUBMITTERS, type Start } from './steps.ts';
import { createTransactions, type Transactions } from './transactions.ts';
import { createView, type Simulations } from './view.ts';
import type { VirtualTime } from './virtualTime.ts';
import { keyOf, networkWithPast } from '../../world/network.ts';

/** A network, those who pay on it, and the service that settles for them; with the model that watches all of it. */
export interface World extends Disposable {
  readonly network: Network;
  readonly customers: Customers;
  readonly transactions: Transactions;
  readonly disk: Disk;
  readonly calls: readonly Call[];
  /** At which points processes were killed. */
  readonly kills: readonly (KillPoint | 'now')[];
  /** The process that runs, if one does. */
  service(): ServiceProcess | undefined;
  start(start: Start): Promise<void>;
  /** SIGTERM, and the end of the process. */
  stop(drains: boolean): Promise<void>;
  closeLedger(): void;
  settle(payment: Payment): Call | undefined;
  verify(payment: Payment): void;
  fund(payer: number, asset: 'usdc' | 'native', tenths: number): void;
  trouble(node: number, trouble: Trouble): void;
  heal(): void;
  failCatalog(when: 'before' | 'after', times: number): void;
  /** What is overdue by now. */
  checkTimes(): void;
  complain(complaint: string): void;
  /** What was complained of first. */
  complaint(): string | undefined;
}

export const CEILING_STROOPS = 50_000;
export const LEDGER_MS = 5_000;
const FUNDS_STROOPS = 1_000_000_000_000n;
/** An answer to settle is due after 80 s, whatever happens. */
const SETTLE_LIMIT_MS = 80_500;
/** A verification is two calls at most, each at each node, with their time limits. */
const VERIFY_LIMIT_MS = 45_000;
const OPEN_LIMIT_MS = 60_000;
const CLOSE_LIMIT_MS = 30_000;

interface Verification {
  readonly payment: Payment;
  readonly askedAtMs: number;
}

export function createWorld(time: VirtualTime, sabotage?: Sabotage): World {
  const network = networkWithPast(time.now, LEDGER_MS);
  const funds = createNetworkFunds(network);
  const customers = createCustomers(network, funds);
  const keys = Array.from({ length: SUBMITTERS }, (_, nth) => keyOf(`submitter ${nth}`));
  const feeBump = keyOf('fee bump');
  for (const key of keys) funds.open('submitter', key.publicKey(), { usdc: 0n, native: FUNDS_STROOPS });
  funds.open('fee-bump account', feeBump.publicKey(), { usdc: 0n, native: FUNDS_STROOPS });
  const simulations: Simulations = new Map();
  const taken = new Set<string>();
  const nodes = Array.from({ length: NODES }, (_, nth) =>
    createRemoteNode(`http://node${nth}.test/`, createView(network, { simulations, taken, now: time.now })),
  );
  const disk = createDisk();
  const calls: Call[] = [];
  const kills: (KillPoint | 'now')[] = [];
  const callOf = new Map<object, Call>();
  const verifications = new Set<Verification>();
  let complaint: string | undefined;
  let service: ServiceProcess | undefined;
  let catalogFaults = { when: 'before' as 'before' | 'after', times: 0 };
  /** Rises with whatever can change a verdict. */
  let changes = 0;
  /** Rises with whatever can keep the service from its work. */
  let disturbances = 0;

  const complain = (text: string): void => void (complaint ??= text);
  const transactions = createTransactions({
    network,
    now: time.now,
    funds,
    ceilingStroops: CEILING_STROOPS,
    complain,
    isTaken: (hash) => taken.has(hash),
    isJournaled: (hash) => service?.unended().includes(hash) ?? false,
  });

  const deps: ProcessDeps = {
    disk,
    ceilingStroops: CEILING_STROOPS,
    now: time.now,
    noted(hash, paymentPayload) {
      const call = callOf.get(paymentPayload);
      if (call) transactions.noted(hash, call);
      else complain(`the service notes ${hash} for a request that nobody made`);
    },
    leaves: transactions.leaves,
    refused: transactions.refused,
    died(at) {
      if (at !== undefined) kills.push(at);
      time.forgetTimers();
      for (const call of calls) call.isLost ||= call.answer === undefined;
      verifications.clear();
      service = undefined;
    },
    complain,
    catalogFails: () => (catalogFaults.times-- > 0 ? catalogFaults.when : undefined),
    ...(sabotage && { sabotage }),
  };

  function disturb(): void {
    changes += 1;
    disturbances += 1;
  }

  const isCalm = (): boolean => nodes.every((node) => node.isHealthy());

  /** In the ledger that comes next. */
  function expectedOf({ terms: { defect }, transfer, authorization, expiration }: Payment) {
    if (defect === 'of another amount') return no('invalid_exact_stellar_payload_wrong_amount');
    const isRefusedByHost =
      defect === 'forged' ||
      defect === 'unsigned' ||
      expiration <= network.latestLedger ||
      transactions.isSpent(authorization) ||
      !funds.canPay(transfer);
    if (isRefusedByHost) return no('invalid_exact_stellar_payload_simulation_failed');
    if (defect === 'good for too long') return no('invalid_exact_stellar_signature_expiration_too_far');
    return { isValid: true };
  }

  function settingsOf({
    firstSubmitter,
    submitters,
    hasFeeBump,
    nodes: count,
    skewSeconds,
    latencyMs,
  }: Start): Settings {
    const chosen = Array.from({ length: submitters }, (_, nth) => keys[(firstSubmitter + nth) % SUBMITTERS]!);
    return {
      submitters: chosen,
      feeBump: hasFeeBump ? feeBump : undefined,
      nodes: nodes.slice(0, count),
      skewMs: skewSeconds * 1_000,
      latencyMs,
    };
  }

  /** Lets time pass until it has ended. */
  async function ended(work: Promise<void>, limitMs: number, what: string): Promise<void> {
    let isOver = false;
    const over = (): void => void (isOver = true);
    work.then(over, (error: unknown) => {
      over();
      complain(`${what} fails: ${String(error)}`);
    });
    await time.pass(limitMs, () => isOver || service === undefined);
    if (!isOver && service !== undefined) complain(`${what} takes longer than ${limitMs} ms`);
  }

  return {
    network,
    customers,
    transactions,
    disk,
    calls,
    kills,
    service: () => service,
    async start(start) {
      service = createProcess(settingsOf(start), deps);
      await ended(service.open(), OPEN_LIMIT_MS, 'the start of the service');
    },
    async stop(drains) {
      if (service === undefined) return;
      disturb();
      const closing = service.close();
      if (drains) {
        await time.pass(LEDGER_MS / 2);
        this.closeLedger();
      }
      await ended(closing, CLOSE_LIMIT_MS, 'the end of the service');
      for (const call of calls)
        if (call.answer === undefined && !call.isLost)
          complain(`${call.payment.name} has no answer, although the service had time to close`);
      deps.died();
    },
    closeLedger() {
      changes += 1;
      for (const node of nodes) node.deliver();
      network.closeLedger();
      transactions.ledgerClosed();
    },
    settle(payment) {
      if (service === undefined) return undefined;
      const request = payment.request();
      const call: Call = { payment, askedAtMs: time.now(), sent: [] };
      const [isUndisturbed, since] = [isCalm(), disturbances];
      calls.push(call);
      callOf.set(request.paymentPayload, call);
      const asked = service;
      service.settle(request).then(
        ({ body, bazaar }) => {
          if (asked.isDead()) return;
          for (const text of judgeSettlement(call, body, bazaar)) complain(text);
          if (isUndisturbed && disturbances === since && body.errorMessage?.includes('unexpected fault'))
            complain(`${payment.name} was answered ${JSON.stringify(body)}, and nothing disturbed it`);
          call.answer = body;
        },
        (error: unknown) => complain(`settling ${payment.name} throws ${String(error)}`),
      );
      return call;
    },
    verify(payment) {
      if (service === undefined) return;
      const since = changes;
      const [isUndisturbed, expected] = [isCalm(), expectedOf(payment)];
      const verification = { payment, askedAtMs: time.now() };
      verifications.add(verification);
      const asked = service;
      service.verify(payment.request()).then(
        (verdict) => {
          verifications.delete(verification);
          if (asked.isDead()) return;
          const isKnown = isUndisturbed && changes === since;
          for (const text of judgeVerdict(payment, verdict, isKnown ? expected : undefined)) complain(text);
        },
        (error: unknown) => complain(`verifying ${payment.name} throws ${String(error)}`),
      );
    },
    fund(...what) {
      changes += 1;
      customers.fund(...what);
    },
    trouble(node, trouble) {
      disturb();
      nodes[node]!.add(trouble);
    },
    heal() {
      for (const node of nodes) node.heal();
      catalogFaults.times = 0;
    },
    failCatalog: (when, times) => void (catalogFaults = { when, times }),
    checkTimes() {
      for (const { payment, askedAtMs, answer, isLost } of calls)
        if (answer === undefined && !isLost && time.now() - askedAtMs > SETTLE_LIMIT_MS)
          complain(`${payment.name} was not answered within ${SETTLE_LIMIT_MS} ms`);
      for (const { payment, askedAtMs } of verifications)
        if (time.now() - askedAtMs > VERIFY_LIMIT_MS)
          complain(`the verification of ${payment.name} was not answered within ${VERIFY_LIMIT_MS} ms`);
    },
    complain,
    complaint: () => complaint,
    [Symbol.dispose]() {
      service?.kill(false);
      time.forgetTimers();
      disk[Symbol.dispose]();
    },
  };
}

const no = (code: string) => ({ isValid: false, code });
