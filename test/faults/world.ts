import { createHash } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { Keypair } from '@stellar/stellar-sdk';
import { afterAll, beforeAll } from 'vitest';
import { createNetwork } from '../../sandbox/network.ts';
import type { Network } from '../../sandbox/network.ts';
import type { FacilitatorRequest, SettleResponse, VerifyResponse } from '../../src/contract/index.ts';
import { openJournal } from '../../src/journal/index.ts';
import { createLog } from '../../src/log/log.ts';
import type { Scheme } from '../../src/scheme/index.ts';
import type { SettleLimits } from '../../src/scheme/limits.ts';
import type { RpcLimits } from '../../src/stellar/limits.ts';
import { temporaryFolder } from '../catalog/temporaryFolder.ts';
import { AMOUNT, NETWORK, requestFor, requirementsFor, signTransfer } from '../support/payments.ts';
import { openFacilitator, openScheme, silent } from '../support/service.ts';
import type { Facilitator } from '../support/service.ts';
import { openNode } from './node.ts';
import type { Node } from './node.ts';
import { NETWORK_NAME } from '../support/playedNetwork.ts';

const LEDGER_MS = 100;
const PAST_LEDGERS = 40;
/** Of an authorization: longer than any test. */
const LIFE_LEDGERS = 290;
/** What a payer starts with, in base units of USDC, and a submitter, in stroops. */
export const PAYER_USDC = 10n * AMOUNT;
export const SUBMITTER_STROOPS = 100_000_000_000n;
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

export interface Payment {
  payer: string;
  payTo: string;
  nonce: bigint;
  request: FacilitatorRequest;
}

/** A payment and what the seller was told of it, each time that it was settled. */
export interface Sale {
  payment: Payment;
  answers: SettleResponse[];
}

/** What the journal holds of a transaction; `status` is null while its end is not known. */
export interface Row {
  hash: string;
  status: string | null;
  fee_charged_stroops: number | null;
}

/** A network, its nodes, and the service on them. */
export interface World {
  network: Network;
  nodes: Node[];
  /** The first node. */
  node: Node;
  submitters: Keypair[];
  /** All that was settled, for those who look for the truth of it. */
  sales: Sale[];
  journal(): Row[];
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
  before?: (nodes: Node[]) => void | Promise<void>;
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
      async settle(paid) {
        let sale = world.sales.find((known) => known.payment === paid);
        if (sale === undefined) world.sales.push((sale = { payment: paid, answers: [] }));
        const answer = await facilitator.settle(paid.request);
        sale.answers.push(answer);
        return answer;
      },
    };
  };
}

type Part = Omit<World, 'payment' | 'verify' | 'settle'> & { scheme: Scheme; newPayment: () => Payment };

/** A world but for the service's HTTP. */
async function openPart(finished: Finished, name: string, options: WorldOptions): Promise<Part> {
  const { now = Date.now } = options;
  const network = networkWithPast(now);
  const nodes = await Promise.all(Array.from({ length: options.nodes ?? 1 }, () => openNode(network)));
  const submitters = Array.from({ length: options.submitters ?? 1 }, (_, nth) =>
    keyOf(`${name}, submitter ${nth}`),
  );
  for (const key of submitters) network.createAccount(key.publicKey(), SUBMITTER_STROOPS);
  await options.before?.(nodes);

  const path = `${temporaryFolder(finished)}/journal.db`;
  const journal = openJournal({ path, log: silent });
  const reader = new DatabaseSync(path, { readOnly: true });
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
  let payments = 0;
  let closed: Promise<void> | undefined;

  const part: Part = {
    scheme,
    network,
    nodes,
    node: nodes[0]!,
    submitters,
    sales: [],
    journal: () => reader.prepare('SELECT hash, status, fee_charged_stroops FROM entry').all() as never,
    logged: () => lines.map((line) => (JSON.parse(line) as { msg: string }).msg),
    newPayment() {
      const nonce = BigInt(++payments);
      const [key, payTo] = [keyOf(`${name}, payer ${nonce}`), keyOf(`${name}, payee ${nonce}`).publicKey()];
      network.mint(key.publicKey(), PAYER_USDC);
      network.mint(payTo, 0n);
      const requirements = requirementsFor(payTo);
      const expiration = network.latestLedger + LIFE_LEDGERS;
      const transaction = signTransfer({ key, requirements, expiration, nonce });
      return { payer: key.publicKey(), payTo, nonce, request: requestFor(requirements, transaction) };
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
    reader.close();
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

/** Clients and the service measure the network's pace from ledgers that lie in the past. */
function networkWithPast(now: () => number): Network {
  let pastMs = PAST_LEDGERS * LEDGER_MS;
  const network = createNetwork({ network: NETWORK_NAME, now: () => now() - pastMs });
  for (; pastMs > 0; pastMs -= LEDGER_MS) network.closeLedger();
  return network;
}

function keyOf(name: string): Keypair {
  return Keypair.fromRawEd25519Seed(createHash('sha256').update(name).digest());
}
