import { createHash } from 'node:crypto';
import { Keypair } from '@stellar/stellar-sdk';
import { afterEach, beforeEach, vi } from 'vitest';
import { createNetwork, type Network } from '../../sandbox/network.ts';
import { DEFAULT_FEES } from '../../src/config/config.ts';
import { DEFAULT_POLICY } from '../../src/config/policy.ts';
import { ANY_PAYMENT } from './policy.ts';
import type { FacilitatorRequest } from '../../src/contract/index.ts';
import { openJournal } from '../../src/journal/index.ts';
import { createScheme, type Scheme, type SchemeDeps } from '../../src/scheme/index.ts';
import { keyFromSecret } from '../../src/stellar/key.ts';
import type { LedgerClose } from '../../src/stellar/ledgerClock.ts';
import { createLedgerView } from '../../src/stellar/ledgerView.ts';
import { RPC_LIMITS } from '../../src/stellar/limits.ts';
import type { Rpc } from '../../src/stellar/rpc/pool.ts';
import { RpcFault } from '../../src/stellar/rpc/fault.ts';
import { requestFor, requirementsFor, signTransfer } from './payments.ts';
import { CEILING_STROOPS, silent, type TestJournal } from './service.ts';
import { NETWORK, NETWORK_NAME } from './playedNetwork.ts';

export const LEDGER_MS = 5_000;
const PAST_LEDGERS = 40;
/** How finely time passes until something has ended. */
const STEP_MS = 10;
const START_MS = Date.UTC(2026, 6, 1);
const FUNDS = 1_000_000_000_000n;

/** Stands between a call and its answer; `answer` lets the call take effect. */
export type Intercept = (method: string, answer: () => unknown) => unknown;

/** The network of the sandbox without its server, on a clock that moves only when a test moves it. */
export interface ScriptedNetwork {
  network: Network;
  /** How often the RPC was called. */
  calls(): Record<string, number>;
  forgetCalls(): void;
  /** What the RPC does instead of its plain answer, until the test ends. */
  intercept: Intercept;
  /** Milliseconds from a call to its taking effect, and from there to its answer. */
  latencyMs: () => number;
  /** Starts a new network in place of this one, whose ledgers close and have closed `ledgerMs` apart. */
  restart(ledgerMs: number): void;
  /** Ledgers close LEDGER_MS apart unless restarted, and unless they are stopped; started again, the first closes at once. */
  stopLedgers(): void;
  startLedgers(): void;
  pass(ms: number): Promise<void>;
  /** Lets time pass until `work` has ended, at most `limitMs`. */
  ended<T>(work: Promise<T>, limitMs?: number): Promise<T>;
  /** A scheme on this network, with one submitter; `open()` is left to the test. */
  scheme(deps?: Partial<SchemeDeps> & { journal?: TestJournal }): Scheme;
  payment(maxTimeoutSeconds?: number): FacilitatorRequest;
  /** What the recipient of a payment holds, in base units of USDC. */
  paid(payment: FacilitatorRequest): bigint;
}

/** Opens a new network for each test of a file. Its fields may be read within tests only. */
export function useScriptedNetwork(): ScriptedNetwork {
  const scripted = {} as ScriptedNetwork;
  beforeEach(() => {
    vi.useFakeTimers({ fakeNodeBuiltins: true, now: START_MS });
    open(scripted);
  });
  afterEach(() => vi.useRealTimers());
  return scripted;
}

function open(scripted: ScriptedNetwork, ledgerMs = LEDGER_MS): void {
  const network = createNetwork({ network: NETWORK_NAME, now: Date.now });
  for (let ledger = 0; ledger < PAST_LEDGERS; ledger++) {
    vi.setSystemTime(Date.now() + ledgerMs);
    network.closeLedger();
  }
  let calls: Record<string, number> = {};
  let keys = 0;
  const nextKey = () =>
    Keypair.fromRawEd25519Seed(createHash('sha256').update(`scripted account ${keys++}`).digest());

  let ledgers = setTimeout(closeOnTime, ledgerMs);
  function closeOnTime(): void {
    network.closeLedger();
    ledgers = setTimeout(closeOnTime, ledgerMs);
  }

  async function answerTo(method: string, params?: object): Promise<object> {
    calls[method] = (calls[method] ?? 0) + 1;
    await elapsed(scripted.latencyMs());
    const result = await scripted.intercept(method, () => resultOf(network.rpc(method, params)));
    await elapsed(scripted.latencyMs());
    return result as object;
  }

  /** The network as an RPC of one node. */
  function openRpc(remembered: LedgerClose | undefined): Rpc {
    const now = () => performance.now();
    const ledgers = createLedgerView({ log: silent, now, limits: RPC_LIMITS, remembered });
    const node = ledgers.addNode('scripted');
    const rpc: Rpc = {
      clock: ledgers,
      nodes: () => [],
      async call(method, params) {
        const answer = await answerTo(method, params);
        node.hear(method, answer);
        return answer as never;
      },
      callEach: async (method, params) => [
        await rpc.call(method, params).catch((fault: unknown) => {
          if (fault instanceof RpcFault) return fault;
          throw fault;
        }),
      ],
      close: async () => {},
    };
    return rpc;
  }

  Object.assign(scripted, {
    network,
    calls: () => calls,
    forgetCalls: () => void (calls = {}),
    intercept: (_method, answer) => answer(),
    latencyMs: () => 10,
    restart(otherLedgerMs) {
      clearTimeout(ledgers);
      open(scripted, otherLedgerMs);
    },
    stopLedgers: () => clearTimeout(ledgers),
    startLedgers: closeOnTime,
    pass: async (ms) => void (await vi.advanceTimersByTimeAsync(ms)),
    async ended(work, limitMs = 120_000) {
      let isEnded = false;
      const end = () => void (isEnded = true);
      work.then(end, end);
      for (let passedMs = 0; !isEnded && passedMs < limitMs; passedMs += STEP_MS)
        await scripted.pass(STEP_MS);
      if (!isEnded) throw new Error(`no end after ${limitMs} ms`);
      return work;
    },
    scheme({ journal = openJournal({ path: ':memory:', log: silent }), ...deps } = {}) {
      const submitter = nextKey();
      network.createAccount(submitter.publicKey(), FUNDS);
      return createScheme({
        network: NETWORK,
        rpc: openRpc(journal.latestClose()),
        submitters: [keyFromSecret(submitter.secret())],
        feeBump: undefined,
        fees: { ...DEFAULT_FEES, ceilingStroops: CEILING_STROOPS },
        policy: ANY_PAYMENT,
        failures: DEFAULT_POLICY,
        journal,
        onLateSettlement: () => {},
        log: silent,
        ...deps,
      });
    },
    payment(maxTimeoutSeconds = 300) {
      const [key, payTo] = [nextKey(), nextKey().publicKey()];
      network.mint(key.publicKey(), FUNDS);
      network.mint(payTo, 0n);
      const requirements = requirementsFor(payTo, { maxTimeoutSeconds });
      const expiration = network.latestLedger + Math.ceil((maxTimeoutSeconds * 1000) / LEDGER_MS);
      return requestFor(requirements, signTransfer({ key, requirements, expiration, nonce: 1n }));
    },
    paid: ({ paymentRequirements }) => network.balances(paymentRequirements.payTo).usdc,
  } satisfies ScriptedNetwork);
}

function elapsed(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function resultOf(answer: ReturnType<Network['rpc']>): unknown {
  if ('result' in answer) return answer.result;
  throw new RpcFault(answer.error.message, { code: answer.error.code });
}
