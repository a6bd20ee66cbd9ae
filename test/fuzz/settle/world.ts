import type { Network } from '../../../sandbox/network.ts';
import { SHARED_LIMITS } from '../../../src/journal/postgres/limits.ts';
import { judgeSettlement, judgeVerdict, type Call } from './answers.ts';
import { createDisk, type Disk } from './disk.ts';
import { createExpectations } from './expected.ts';
import { createNetworkFunds } from './funds.ts';
import { createInstances, isPaused, type Instance } from './instances.ts';
import { createRemoteNode, type Trouble } from './nodes.ts';
import { overdue, type Verification } from './overdue.ts';
import { createCustomers, type Customers, type Payment } from './payments.ts';
import { settingsOf } from './settings.ts';
import {
  createProcess,
  type KillPoint,
  type ProcessDeps,
  type Sabotage,
  type ServiceProcess,
} from './serviceProcess.ts';
import { INSTANCES, NODES, SUBMITTERS, type Start } from './steps.ts';
import { createTransactions, type Transactions } from './transactions.ts';
import { createView, type Simulations } from './view.ts';
import type { SharedDatabase, StatementFault } from './sharedDatabase.ts';
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
  /** What befell instances that share a database. */
  readonly troubles: readonly string[];
  /** The addresses of all submitters. */
  readonly submitters: readonly string[];
  /** The database that the instances share; undefined if there is one instance, on files of its own. */
  readonly shared: SharedDatabase | undefined;
  /** The places of the instances. */
  readonly instances: readonly Instance[];
  /** The process that runs there, if one does. */
  service(instance?: Instance): ServiceProcess | undefined;
  start(start: Start, instance?: Instance): Promise<void>;
  /** SIGTERM, and the end of the process. */
  stop(drains: boolean, instance?: Instance): Promise<void>;
  /** SIGSTOP, and after so long SIGCONT. */
  pause(instance: Instance, ms: number): void;
  resume(instance: Instance): void;
  failDatabase(instance: Instance, fault: StatementFault, times: number): void;
  /** The hashes that the journal has as open. */
  unended(): string[];
  closeLedger(): void;
  settle(payment: Payment, instance?: Instance): Call | undefined;
  verify(payment: Payment, instance?: Instance): void;
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
const OPEN_LIMIT_MS = 60_000;
const CLOSE_LIMIT_MS = 30_000;
/** Leases and outcomes may wait for the database as well. */
const SHARED_CLOSE_LIMIT_MS = 35_000;

/** With a `shared` database there are several instances. */
export function createWorld(time: VirtualTime, sabotage?: Sabotage, shared?: SharedDatabase): World {
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
  const troubles: string[] = [];
  const callOf = new Map<object, Call>();
  const verifications = new Set<Verification>();
  let complaint: string | undefined;
  const instances = createInstances(shared ? INSTANCES : 1);
  const [first] = instances as [Instance];
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
    isJournaled: (hash) => unended().includes(hash),
  });

  const unended = (): string[] => (shared ? [...shared.open.keys()] : (first.service?.unended() ?? []));

  const depsOf = (instance: Instance): ProcessDeps => ({
    disk,
    ...(instance.way && { way: instance.way }),
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
      time.forgetTimers(instance);
      for (const call of calls) if (call.instance === instance) call.isLost ||= call.answer === undefined;
      for (const one of verifications) if (one.instance === instance) verifications.delete(one);
      instance.service = undefined;
      instance.pausedAtMs = undefined;
    },
    complain,
    catalogFails: () => (catalogFaults.times-- > 0 ? catalogFaults.when : undefined),
    ...(sabotage && { sabotage }),
  });

  function disturb(): void {
    changes += 1;
    disturbances += 1;
  }

  const isCalm = (): boolean => nodes.every((node) => node.isHealthy());
  const expectedOf = createExpectations({ network, funds, transactions });

  /** Lets time pass until it has ended. */
  async function ended(
    instance: Instance,
    work: Promise<void>,
    limitMs: number,
    what: string,
  ): Promise<void> {
    let isOver = false;
    const over = (): void => void (isOver = true);
    work.then(over, (error: unknown) => {
      over();
      complain(`${what} fails: ${String(error)}`);
    });
    await time.pass(limitMs, () => isOver || instance.service === undefined);
    if (!isOver && instance.service !== undefined) complain(`${what} takes longer than ${limitMs} ms`);
  }

  const world: World = {
    network,
    submitters: keys.map((key) => key.publicKey()),
    troubles,
    customers,
    transactions,
    disk,
    calls,
    kills,
    shared,
    instances,
    unended,
    service: (instance = first) => instance.service,
    async start(start, instance = first) {
      if (shared) instance.way = shared.connect(instance);
      const opening = time.as(instance, () => {
        instance.service = createProcess(
          settingsOf(start, { keys, feeBump, nodes, isShared: shared !== undefined }),
          depsOf(instance),
        );
        return instance.service.open();
      });
      await ended(instance, opening, OPEN_LIMIT_MS, 'the start of the service');
    },
    pause(instance, ms) {
      const { service } = instance;
      if (service === undefined || isPaused(instance)) return;
      disturb();
      troubles.push('an instance is paused');
      time.as(world, () => void setTimeout(() => instance.service === service && world.resume(instance), ms));
      instance.pausedAtMs = time.now();
      time.pause(instance);
    },
    resume(instance) {
      if (instance.pausedAtMs === undefined) return;
      const pausedMs = time.now() - instance.pausedAtMs;
      instance.pausedAtMs = undefined;
      for (const call of calls) if (call.instance === instance) call.askedAtMs += pausedMs;
      for (const one of verifications) if (one.instance === instance) one.askedAtMs += pausedMs;
      if (pausedMs > SHARED_LIMITS.leaseMs) troubles.push('an instance is paused for longer than a lease');
      time.resume(instance);
    },
    failDatabase(instance, fault, times) {
      disturb();
      troubles.push(`a statement fails: ${fault}`);
      instance.way?.fail(fault, times);
    },
    async stop(drains, instance = first) {
      const { service } = instance;
      if (service === undefined) return;
      this.resume(instance);
      disturb();
      const closing = time.as(instance, () => service.close());
      if (drains) {
        await time.pass(LEDGER_MS / 2);
        this.closeLedger();
      }
      await ended(
        instance,
        closing,
        shared ? SHARED_CLOSE_LIMIT_MS : CLOSE_LIMIT_MS,
        'the end of the service',
      );
      for (const call of calls)
        if (call.instance === instance && call.answer === undefined && !call.isLost)
          complain(`${call.payment.name} has no answer, although the service had time to close`);
      depsOf(instance).died();
    },
    closeLedger() {
      changes += 1;
      for (const node of nodes) node.deliver();
      network.closeLedger();
      transactions.ledgerClosed();
    },
    settle(payment, instance = first) {
      const { service } = instance;
      if (service === undefined || isPaused(instance)) return undefined;
      const request = payment.request();
      const call: Call = { payment, instance, askedAtMs: time.now(), sent: [] };
      const [isUndisturbed, since] = [isCalm(), disturbances];
      calls.push(call);
      callOf.set(request.paymentPayload, call);
      const settling = time.as(instance, () => service.settle(request));
      settling.then(
        ({ body, bazaar }) => {
          if (service.isDead()) return;
          const settledBy = transactions.settledBy(payment);
          for (const text of judgeSettlement(call, body, bazaar, settledBy)) complain(text);
          if (isUndisturbed && disturbances === since && body.errorMessage?.includes('unexpected fault'))
            complain(`${payment.name} was answered ${JSON.stringify(body)}, and nothing disturbed it`);
          call.answer = body;
        },
        (error: unknown) => complain(`settling ${payment.name} throws ${String(error)}`),
      );
      return call;
    },
    verify(payment, instance = first) {
      const { service } = instance;
      if (service === undefined || isPaused(instance)) return;
      const since = changes;
      const [isUndisturbed, expected] = [isCalm(), expectedOf(payment)];
      const verification = { payment, instance, askedAtMs: time.now() };
      verifications.add(verification);
      const verifying = time.as(instance, () => service.verify(payment.request()));
      verifying.then(
        (verdict) => {
          verifications.delete(verification);
          if (service.isDead()) return;
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
      nodes.forEach((node) => node.heal());
      catalogFaults.times = 0;
      shared?.up();
      for (const { way } of instances) way?.heal();
    },
    failCatalog: (when, times) => void (catalogFaults = { when, times }),
    checkTimes() {
      for (const text of overdue(calls, verifications, time.now())) complain(text);
    },
    complain,
    complaint: () => complaint,
    [Symbol.dispose]() {
      for (const { service } of instances) service?.kill(false);
      disk[Symbol.dispose]();
    },
  };
  return world;
}
