import { createHash } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { Keypair } from '@stellar/stellar-sdk';
import { createNetwork } from '../../sandbox/network.ts';
import type { Network } from '../../sandbox/network.ts';
import type { FacilitatorRequest, SettleResponse, VerifyResponse } from '../../src/contract/index.ts';
import { openJournal } from '../../src/journal/index.ts';
import type { RpcLimits, SettleLimits } from '../../src/scheme/limits.ts';
import { temporaryFolder } from '../catalog/temporaryFolder.ts';
import { AMOUNT, requestFor, requirementsFor, signTransfer } from '../support/payments.ts';
import { openFacilitator, silent } from '../support/service.ts';
import type { Facilitator } from '../support/service.ts';
import { openNode } from './node.ts';
import type { Node } from './node.ts';

export const LEDGER_MS = 100;
const PAST_LEDGERS = 40;
/** Of an authorization: longer than any test. */
const LIFE_LEDGERS = 290;
/** For a busy machine. */
const PATIENCE_MS = 20_000;
const PAYER_USDC = 10n * AMOUNT;
const SUBMITTER_STROOPS = 100_000_000_000n;

/** As the service's own, shorter: ledgers are fifty times as fast. */
export const QUICK: { settle: Partial<SettleLimits>; rpc: Partial<RpcLimits> } = {
  settle: {
    answerWithinMs: 6_000,
    minInclusionSeconds: 2,
    maxInclusionSeconds: 2,
    resendAfterMs: 30,
    maxPollIntervalMs: 300,
    drainMs: 1_000,
  },
  rpc: { answerTimeoutMs: 1_000, answerTimeoutAmongSeveralMs: 1_000, minRestMs: 200, maxRestMs: 800 },
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
  facilitator: Facilitator;
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
}

export interface WorldOptions {
  nodes?: number;
  submitters?: number;
  settle?: Partial<SettleLimits>;
  rpc?: Partial<RpcLimits>;
  /** What is wrong before the service starts. */
  before?: (nodes: Node[], network: Network) => void | Promise<void>;
  /** The network's time in milliseconds. */
  now?: () => number;
}

/** Opens a world until the test ends; `finished` is the test's own `onTestFinished`, since tests run beside each other. */
export async function openWorld(
  finished: (close: () => void | Promise<void>) => void,
  options: WorldOptions = {},
): Promise<World> {
  const { now = Date.now } = options;
  const network = networkWithPast(now);
  const nodes = await Promise.all(Array.from({ length: options.nodes ?? 1 }, () => openNode(network)));
  const submitters = Array.from({ length: options.submitters ?? 1 }, (_, nth) => keyOf(`submitter ${nth}`));
  for (const key of submitters) network.createAccount(key.publicKey(), SUBMITTER_STROOPS);
  const down = new Set<Node>();
  for (const node of nodes) followDowns(node, down);
  await options.before?.(nodes, network);

  const path = `${temporaryFolder(finished)}/journal.db`;
  const facilitator = await openFacilitator({
    rpcUrl: nodes.map(({ url }) => url),
    submitters,
    journal: openJournal({ path, log: silent }),
    parts: { limits: { ...QUICK.settle, ...options.settle } },
    rpcLimits: { ...QUICK.rpc, ...options.rpc },
  });
  const reader = new DatabaseSync(path, { readOnly: true });

  let ledgers: NodeJS.Timeout | undefined;
  let payments = 0;
  const sales: Sale[] = [];

  const world: World = {
    network,
    nodes,
    node: nodes[0]!,
    submitters,
    facilitator,
    sales,
    journal: () => reader.prepare('SELECT hash, status, fee_charged_stroops FROM entry').all() as never,
    logged: () => facilitator.log.map(({ msg }) => String(msg)),
    payment() {
      const nonce = BigInt(++payments);
      const [key, payTo] = [keyOf(`payer ${nonce}`), keyOf(`payee ${nonce}`).publicKey()];
      network.mint(key.publicKey(), PAYER_USDC);
      network.mint(payTo, 0n);
      const requirements = requirementsFor(payTo);
      const expiration = network.latestLedger + LIFE_LEDGERS;
      const transaction = signTransfer({ key, requirements, expiration, nonce });
      return { payer: key.publicKey(), payTo, nonce, request: requestFor(requirements, transaction) };
    },
    verify: ({ request }) => facilitator.verify(request),
    async settle(payment) {
      let sale = sales.find((known) => known.payment === payment);
      if (sale === undefined) sales.push((sale = { payment, answers: [] }));
      const answer = await facilitator.settle(payment.request);
      sale.answers.push(answer);
      return answer;
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
        if (down.has(node)) await node.up();
      }
      world.startLedgers();
    },
  };
  world.startLedgers();
  finished(async () => {
    await world.mend();
    await facilitator.close();
    world.stopLedgers();
    reader.close();
    await Promise.all(nodes.map((node) => node.down()));
  });
  return world;
}

/** As vitest's own, for tests that run beside each other. */
export async function until(what: string, isSo: () => boolean): Promise<void> {
  const start = performance.now();
  while (!isSo()) {
    if (performance.now() - start > PATIENCE_MS) throw new Error(`waited in vain until ${what}`);
    await sleep(10);
  }
}

/** Remembers which nodes are down. */
function followDowns(node: Node, down: Set<Node>): void {
  const { down: goDown, up } = node;
  node.down = async () => {
    down.add(node);
    await goDown();
  };
  node.up = async () => {
    down.delete(node);
    await up();
  };
}

/** Clients and the service measure the network's pace from ledgers that lie in the past. */
function networkWithPast(now: () => number): Network {
  let pastMs = PAST_LEDGERS * LEDGER_MS;
  const network = createNetwork({ now: () => now() - pastMs });
  for (; pastMs > 0; pastMs -= LEDGER_MS) network.closeLedger();
  return network;
}

function keyOf(name: string): Keypair {
  return Keypair.fromRawEd25519Seed(createHash('sha256').update(name).digest());
}

/** What a payer starts with, in base units of USDC. */
export { PAYER_USDC, SUBMITTER_STROOPS };
