import { AsyncLocalStorage } from 'node:async_hooks';
import type { Keypair } from '@stellar/stellar-sdk';
import type { Catalog } from '../../../src/catalog/index.ts';
import { DEFAULT_FEES } from '../../../src/config/config.ts';
import { DEFAULT_POLICY } from '../../../src/config/policy.ts';
import { ANY_PAYMENT } from '../../support/policy.ts';
import type {
  BazaarOutcome,
  FacilitatorRequest,
  SettleResponse,
  VerifyResponse,
} from '../../../src/contract/index.ts';
import { createPendingListings } from '../../../src/handlers/pendingListings.ts';
import { createSettlePayment } from '../../../src/handlers/settlePayment.ts';
import { createVerifyPayment } from '../../../src/handlers/verifyPayment.ts';
import type { Journal } from '../../../src/journal/index.ts';
import { createScheme, UNLIMITED_BUDGET, type Scheme, type SchemeDeps } from '../../../src/scheme/index.ts';
import { keyFromSecret } from '../../../src/stellar/key.ts';
import type { SchemeLog } from '../../../src/stellar/log.ts';
import { PASSPHRASES } from '../../../src/stellar/networks.ts';
import { createRpc, type Rpc } from '../../../src/stellar/rpc/pool.ts';
import { NETWORK } from '../../support/payments.ts';
import { outcomeIn } from '../../world/payment.ts';
import type { Disk } from './disk.ts';
import type { RemoteNode } from './nodes.ts';
import type { Way } from './sharedDatabase.ts';
import { openStores, rememberedBy } from './stores.ts';
import { createWire } from './wire.ts';

/** Moments at which a process can be killed, beside any moment between them. */
export const KILL_POINTS = [
  'before it journals',
  'after it journaled',
  'after it sent',
  'before it journals an end',
  'after it journaled an end',
  'before it lists',
  'after it listed',
] as const;
export type KillPoint = (typeof KILL_POINTS)[number];

/** What makes a process another one than the last. */
export interface Settings {
  readonly submitters: readonly Keypair[];
  readonly feeBump: Keypair | undefined;
  readonly nodes: readonly RemoteNode[];
  /** How far the time of day is ahead there. */
  readonly skewMs: number;
  /** See `Start`. */
  readonly latencyMs: number;
}

export interface ProcessDeps {
  disk: Disk;
  /** The journal and the accounts are shared this way; undefined if they are on the disk. */
  way?: Way;
  ceilingStroops: number;
  now: () => number;
  /** The service is about to send this for that request. */
  noted(hash: string, paymentPayload: object): void;
  leaves(
    envelopeXdr: string,
    service: { submitters: readonly string[]; feeSources: readonly string[] },
  ): void;
  refused(envelopeXdr: string): void;
  /** The process is dead, killed there if it was killed: whatever waited for an answer gets none. */
  died(at?: KillPoint | 'now'): void;
  complain(complaint: string): void;
  /** Whether the catalog fails now, and if so before or after it has written. */
  catalogFails(): 'before' | 'after' | undefined;
  sabotage?: Sabotage;
}

/** Parts to use instead of the service's own. */
export interface Sabotage {
  /** From what the service has made; `nodes` are the connections to each node alone. */
  build?(deps: SchemeDeps, nodes: readonly Rpc[]): Scheme;
  journal?(journal: Journal): Journal;
}

/**
 * One process of the service, as it is between HTTP on one side and the RPC's answers on the other. Killed, it has no
 * effect on anything outside from that moment on, and leaves its files as they were. What that cannot show: a kill in
 * the middle of a write, HTTP itself, and the catalog's threads.
 */
export interface ServiceProcess {
  readonly submitters: readonly string[];
  /** Milliseconds pass: it asks the network. */
  open(): Promise<void>;
  settle(request: FacilitatorRequest): Promise<{ body: SettleResponse; bazaar: BazaarOutcome | undefined }>;
  verify(request: FacilitatorRequest): Promise<VerifyResponse>;
  isDead(): boolean;
  /** Of what is on its way to the network, it arrives or is lost. */
  kill(arrives: boolean): void;
  killAt(point: KillPoint, arrives: boolean): void;
  /** It is not killed at any point any more. */
  spare(): void;
  /** SIGTERM: those in flight end, or are left to the journal. */
  close(): Promise<void>;
  /** The hashes that its own journal has as open; none if the journal is shared. */
  unended(): string[];
}

/** Time between two looks for listings that other instances left, as in service.ts. */
const LIST_OTHERS_EVERY_MS = 10_000;

export function createProcess(settings: Settings, deps: ProcessDeps): ServiceProcess {
  const { disk, way, sabotage = {} } = deps;
  const submitters = settings.submitters.map((key) => keyFromSecret(key.secret()));
  const feeBump = settings.feeBump && keyFromSecret(settings.feeBump.secret());
  const service = {
    submitters: submitters.map(({ address }) => address),
    feeSources: feeBump ? [feeBump.address] : submitters.map(({ address }) => address),
  };
  const bornAt = deps.now();
  const now = (): number => deps.now() - bornAt;
  const wallClock = (): number => deps.now() + settings.skewMs;
  /** Whose settlement something is done for. */
  const asked = new AsyncLocalStorage<object>();
  let isDead = false;
  let armed: { point: KillPoint; arrives: boolean } | undefined;

  const log: SchemeLog = { info: () => {}, warn: complainOfFault, error: complainOfFault };
  const stores = openStores(deps, log, wallClock, service.submitters);
  const wire = createWire(settings.nodes, settings.latencyMs, {
    leaves: (envelope) => deps.leaves(envelope, service),
    arrived: () => reach('after it sent'),
    refused: deps.refused,
  });
  const journal = noting(sabotage.journal?.(mortal(stores.journal)) ?? mortal(stores.journal));
  const catalog = catalogOf();
  const pendingListings = createPendingListings({ journal, catalog });
  const rpcOf = (urls: readonly string[]): Rpc =>
    createRpc(urls, {
      log,
      now,
      passphrase: PASSPHRASES[NETWORK],
      connect: wire.connect,
      remembered: rememberedBy(journal),
    });
  const build = sabotage.build ?? createScheme;
  const scheme = build(
    {
      network: NETWORK,
      rpc: rpcOf(settings.nodes.map(({ url }) => url)),
      submitters,
      feeBump,
      fees: { ...DEFAULT_FEES, ceilingStroops: deps.ceilingStroops },
      policy: ANY_PAYMENT,
      failures: DEFAULT_POLICY,
      journal,
      sharing: stores.sharing,
      onLateSettlement: () => void pendingListings.list(),
      log,
      now,
    },
    settings.nodes.map(({ url }) => rpcOf([url])),
  );
  const settlePayment = createSettlePayment({
    scheme,
    catalog,
    journal,
    pendingListings,
    budgetOf: () => UNLIMITED_BUDGET,
  });
  const verifyPayment = createVerifyPayment(scheme);
  if (way !== undefined) setInterval(() => void pendingListings.list(), LIST_OTHERS_EVERY_MS);

  function kill(arrives: boolean, at: KillPoint | 'now'): void {
    if (isDead) return;
    isDead = true;
    wire.cut(arrives);
    stores.cut();
    deps.died(at);
  }

  function reach(point: KillPoint): void {
    if (armed?.point === point) kill(armed.arrives, point);
  }

  /** What a dead process writes is written by nobody. */
  function mortal(journal: Journal): Journal {
    const opened = <Answer>(answer: Answer): Answer => {
      reach('after it journaled');
      return answer;
    };
    return {
      exhausted: journal.exhausted,
      records: journal.records,
      answers: journal.answers,
      checkWritable: journal.checkWritable,
      feesToday: journal.feesToday,
      events: journal.events,
      open(entry, mayStillSend) {
        reach('before it journals');
        if (isDead) return 'open';
        const opening = journal.open(entry, mayStillSend);
        return typeof opening === 'string' ? opened(opening) : opening.then(opened);
      },
      close(hash, end) {
        reach('before it journals an end');
        if (!isDead) journal.close(hash, end);
        reach('after it journaled an end');
      },
      // The model's catalog is not in the database, whose own takes a written listing off.
      listed: (hash) => void (isDead || journal.listed(hash, 'rejected')),
      settledBy: (payment) => (isDead ? undefined : journal.settledBy(payment)),
      unended: () => (isDead ? [] : journal.unended()),
      failures: (withinMs) => (isDead ? [] : journal.failures(withinMs)),
      latestClose: () => (isDead ? undefined : journal.latestClose()),
      unlisted: () => (isDead ? [] : journal.unlisted()),
      dueListing: (hash) => (isDead ? undefined : journal.dueListing(hash)),
      end: () => (isDead ? undefined : journal.end()),
    };
  }

  function noting(journal: Journal): Journal {
    return {
      ...journal,
      open(entry, mayStillSend) {
        if (!isDead) deps.noted(entry.hash, asked.getStore()!);
        return journal.open(entry, mayStillSend);
      },
    };
  }

  function catalogOf(): Pick<Catalog, 'submit'> {
    return {
      async submit({ extensions, settledAt = new Date(wallClock()), ...settled }) {
        if (isDead || typeof extensions !== 'object' || extensions === null || !('bazaar' in extensions))
          return undefined;
        const fails = deps.catalogFails();
        reach('before it lists');
        if (isDead || fails === 'before') return undefined;
        const extensionsText = JSON.stringify(extensions);
        const refusal = disk.catalog.submit({ extensionsText, settledAt, ...settled });
        reach('after it listed');
        if (isDead || fails === 'after') return undefined;
        return { status: refusal === undefined ? 'success' : 'rejected' };
      },
    };
  }

  /** The network's faults are expected, and so is the end of the process; anything else is a mistake in the service. */
  function complainOfFault({ err }: { err?: Error }, message: string): void {
    if (isDead || err === undefined || EXPECTED.has(err.name)) return;
    deps.complain(`the service logs: ${message}: ${err.stack}`);
  }

  const requests = new Set<Promise<unknown>>();
  /** As the server does: when it closes it waits for those whom it has not answered yet. */
  function answering<Answer>(answer: Promise<Answer>): Promise<Answer> {
    const over = (): void => void requests.delete(answer);
    requests.add(answer);
    answer.then(over, over);
    return answer;
  }
  const caller = { name: '127.0.0.1', keyId: undefined };
  async function settle(body: FacilitatorRequest): ReturnType<ServiceProcess['settle']> {
    const answer = await asked.run(body.paymentPayload, () => settlePayment({ body, caller } as never));
    const { 'EXTENSION-RESPONSES': responses } =
      (answer as { headers?: Record<string, string> }).headers ?? {};
    return { body: answer.body as SettleResponse, bazaar: outcomeIn(responses) };
  }
  const verify = async (body: FacilitatorRequest): Promise<VerifyResponse> =>
    (await verifyPayment({ body, caller } as never)).body as VerifyResponse;

  return {
    submitters: service.submitters,
    async open() {
      await scheme.open();
      await pendingListings.list();
    },
    settle: (request) => answering(settle(request)),
    verify: (request) => answering(verify(request)),
    isDead: () => isDead,
    kill: (arrives) => kill(arrives, 'now'),
    killAt: (point, arrives) => void (armed = { point, arrives }),
    spare: () => void (armed = undefined),
    async close() {
      await Promise.all([Promise.allSettled(requests), scheme.close()]);
      if (isDead) return;
      // Others hear of what it knows; a journal of its own has it already.
      if (way !== undefined) await journal.end();
      isDead = true;
      await pendingListings.close();
      wire.cut(true);
      stores.end();
    },
    unended: stores.unended,
  };
}

/** Faults of what is around the service. */
const EXPECTED: ReadonlySet<string> = new Set(['RpcFault', 'AbortError', 'DatabaseUnavailable']);
