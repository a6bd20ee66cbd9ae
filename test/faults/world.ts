import { setTimeout as sleep } from 'node:timers/promises';
import type { Keypair } from '@stellar/stellar-sdk';
import { afterAll, beforeAll } from 'vitest';
import type { Network } from '../../sandbox/network.ts';
import type { FacilitatorRequest, SettleResponse, VerifyResponse } from '../../src/contract/index.ts';
import { openJournal } from '../../src/journal/index.ts';
import { createLog } from '../../src/log/log.ts';
import type { Scheme } from '../../src/scheme/index.ts';
import type { SettleLimits } from '../../src/scheme/limits.ts';
import type { RpcLimits } from '../../src/stellar/limits.ts';
import { temporaryFolder } from '../catalog/temporaryFolder.ts';
import { idleScheme } from '../support/idleScheme.ts';
import { AMOUNT, NETWORK, requirementsFor } from '../support/payments.ts';
import { openFacilitator, openScheme, silent, type Facilitator } from '../support/service.ts';
import { openNode, type HttpNode } from '../world/httpNode.ts';
import { readJournal, type JournalRow } from '../world/journal.ts';
import type { LedgerTransaction } from '../world/ledger.ts';
import { keyOf, networkWithPast } from '../world/network.ts';
import { createObserver } from '../world/observer.ts';
import type { Facts, Payment as Asked } from '../world/oracle/facts.ts';
import { newPayment as signedPayment } from '../world/payment.ts';

const LEDGER_MS = 100;
/** Of an authorization: longer than any test. */
const LIFE_LEDGERS = 290;
const SUBMITTER_STROOPS = 100_000_000_000n;
const UNLISTED = { url: 'https://seller.test/weather', description: '', deserves: 'nothing' } as const;
/** For a busy machine. */
const PATIENCE_MS = 20_000;

/** As the service's own, shorter: ledgers are fifty times as fast. */
const QUICK: { settle: Partial<SettleLimits>; rpc: Partial<RpcLimits> } = {
  settle: {
    answerWithinMs: 8_000,
    minInclusionSeconds: 3,
    maxInclusionSeconds: 3,
    resendAfterMs: 30,
    maxPollIntervalMs: 300,
    drainMs: 1_000,
  },
  rpc: { answerTimeoutMs: 3_000, answerTimeoutAmongSeveralMs: 3_000, minRestMs: 200, maxRestMs: 800 },
};

/** A payment of AMOUNT, by an account of its own to an account of its own. */
export interface Payment extends Asked {
  readonly payTo: string;
}

/** A network, its nodes, and the service on them. */
export interface World {
  network: Network;
  nodes: HttpNode[];
  /** The first node. */
  node: HttpNode;
  submitters: Keypair[];
  /** Returns what there is to know of the payments so far. */
  facts(): Facts;
  journal(): JournalRow[];
  ledger(): readonly LedgerTransaction[];
  /** The messages that were logged so far. */
  logged(): string[];
  payment(): Payment;
  verify(payment: Payment): Promise<VerifyResponse>;
  settle(payment: Payment): Promise<SettleResponse>;
  stopLedgers(): void;
  startLedgers(): void;
  /** Ends all faults: those of the nodes and those of the network. */
  mend(): Promise<void>;
  /** Closes the scheme. Whatever the test does, the world ends with it. */
  close(): Promise<void>;
}

export interface WorldOptions {
  nodes?: number;
  submitters?: number;
  settle?: Partial<SettleLimits>;
  rpc?: Partial<RpcLimits>;
  /** What is wrong before the service starts. */
  before?: (nodes: HttpNode[]) => void | Promise<void>;
  /** The network's time in milliseconds. */
  now?: () => number;
}

/** The `onTestFinished` of a test that runs beside others. */
type Finished = (close: () => void | Promise<void>) => void;

/**
 * One service over HTTP for all tests of a file, since it takes a while to start; a scheme, a journal, a network and
 * nodes for each of them. What is returned opens a world until the test ends.
 */
export function useWorlds(): (finished: Finished, options?: WorldOptions) => Promise<World> {
  /** By whom they pay. */
  const schemes = new Map<string, Scheme>();
  const schemeOf = ({ paymentRequirements: { payTo } }: Pick<FacilitatorRequest, 'paymentRequirements'>) =>
    schemes.get(payTo)!;
  let facilitator: Facilitator;
  let worlds = 0;
  beforeAll(async () => {
    const scheme: Scheme = {
      ...idleScheme,
      kind: {
        x402Version: 2,
        scheme: 'exact',
        network: NETWORK,
        extra: { areFeesSponsored: true },
      },
      submitters: [],
      feeBumpAddress: undefined,
      verify: (request) => schemeOf(request).verify(request),
      settle: (request) => schemeOf(request).settle(request),
      open: async () => {},
      close: async () => {},
    };
    facilitator = await openFacilitator({ rpcUrl: 'http://127.0.0.1:9', submitters: [], scheme });
  });
  afterAll(() => facilitator.close());

  return async (finished, options = {}) => {
    const part = await openPart(finished, `world ${++worlds}`, options);
    const { scheme, newPayment, ...world } = part;
    const payment = () => {
      const made = newPayment();
      schemes.set(made.payTo, scheme);
      return made;
    };
    return {
      ...world,
      payment,
      verify: ({ request }) => facilitator.verify(request),
      async settle(payment) {
        payment.asked += 1;
        const body = await facilitator.settle(payment.request);
        payment.answers.push({ body, bazaar: undefined, inLedger: world.network.latestLedger });
        return body;
      },
    };
  };
}

type Part = Omit<World, 'payment' | 'verify' | 'settle'> & { scheme: Scheme; newPayment: () => Payment };

/** A world but for the service's HTTP. */
async function openPart(finished: Finished, name: string, options: WorldOptions): Promise<Part> {
  const { now = Date.now } = options;
  const network = networkWithPast(now, LEDGER_MS);
  const nodes = await Promise.all(Array.from({ length: options.nodes ?? 1 }, () => openNode(network)));
  const submitters = Array.from({ length: options.submitters ?? 1 }, (_, nth) =>
    keyOf(`${name}, submitter ${nth}`),
  );
  const path = `${temporaryFolder(finished)}/journal.db`;
  const payments: Payment[] = [];
  const observer = createObserver({ network, payments, journal: () => readJournal(path) });
  for (const key of submitters) {
    network.createAccount(key.publicKey(), SUBMITTER_STROOPS);
    observer.watch('submitter', key.publicKey());
  }
  await options.before?.(nodes);

  const journal = openJournal({ path, log: silent });
  const lines: string[] = [];
  const scheme = openScheme({
    rpcUrl: nodes.map(({ url }) => url),
    submitters,
    journal,
    parts: { limits: { ...QUICK.settle, ...options.settle } },
    rpcLimits: { ...QUICK.rpc, ...options.rpc },
    log: createLog([], { write: (line: string) => void lines.push(line) }),
  });
  let ledgers: NodeJS.Timeout | undefined;
  let closed: Promise<void> | undefined;

  const part: Part = {
    scheme,
    network,
    nodes,
    node: nodes[0]!,
    submitters,
    facts: observer.facts,
    journal: () => readJournal(path),
    ledger: () => observer.facts().ledger,
    logged: () => lines.map((line) => (JSON.parse(line) as { msg: string }).msg),
    newPayment() {
      const nonce = BigInt(payments.length + 1);
      const [key, payTo] = [keyOf(`${name}, payer ${nonce}`), keyOf(`${name}, payee ${nonce}`).publicKey()];
      network.mint(key.publicKey(), 10n * AMOUNT);
      network.mint(payTo, 0n);
      observer.watch('payer', key.publicKey());
      observer.watch('payee', payTo);
      const requirements = requirementsFor(payTo);
      const expiration = network.latestLedger + LIFE_LEDGERS;
      const signed = signedPayment({ key, requirements, expiration, nonce }, UNLISTED);
      const payment = { ...signed, payTo };
      payments.push(payment);
      return payment;
    },
    stopLedgers() {
      clearInterval(ledgers);
      ledgers = undefined;
    },
    startLedgers() {
      ledgers ??= setInterval(() => network.closeLedger(), LEDGER_MS);
    },
    async mend() {
      for (const node of nodes) {
        node.faults.clear();
        node.wire = () => undefined;
        await node.up();
      }
      part.startLedgers();
    },
    close: () => (closed ??= scheme.close()),
  };
  part.startLedgers();
  finished(async () => {
    await part.mend();
    await part.close();
    part.stopLedgers();
    journal.end();
    await Promise.all(nodes.map((node) => node.down()));
  });
  await scheme.open();
  return part;
}

/** As vitest's own `poll`, for tests that run beside each other. */
export async function until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  const start = performance.now();
  while (!(await isSo())) {
    if (performance.now() - start > PATIENCE_MS) throw new Error(`waited in vain until ${what}`);
    await sleep(10);
  }
}
