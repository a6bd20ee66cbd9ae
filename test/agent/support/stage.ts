import type { Keypair } from '@stellar/stellar-sdk';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { openCatalog, type Catalog } from '../../../src/catalog/index.ts';
import type { PaymentRequirements } from '../../../src/contract/index.ts';
import type { McpEnvironment } from '../../../src/agent/config.ts';
import type { AuthorizationSigner } from '../../../src/agent/wallet/index.ts';
import { AGENT_LIMITS, type AgentLimits } from '../../../src/agent/limits.ts';
import { requirementsFor } from '../../support/payments.ts';
import { openSandbox, type TestSandbox } from '../../support/sandbox.ts';
import { openFacilitator, silent, type Facilitator } from '../../support/service.ts';
import { openAgent, type Agent, type Person, type ToolAnswer } from './agent.ts';

/** Long enough for honest payments to settle, short enough to wait for the end of those that are not. */
export const MAX_TIMEOUT_SECONDS = 20;

/** An agent with a wallet of its own. */
export interface Buyer extends Agent {
  address: string;
  /** USDC in base units that left the wallet since the start, by the ledger. */
  spent(): bigint;
}

/** The local network, the service on it with a catalog of its own, and agents that use both. */
export interface AgentStage {
  sandbox: TestSandbox;
  facilitator: Facilitator;
  catalog: Catalog;
  /** The limits of all agents of a test, which it may change. */
  limits: AgentLimits;
  /** The address of the recipient of all sales. */
  payTo: string;
  /** Terms of payment to `payTo`. */
  terms(changes?: Partial<PaymentRequirements>): PaymentRequirements;
  /** Lists a resource as if it had been paid for. */
  list(
    resource: { url: string; [field: string]: unknown },
    bazaar: object,
    terms?: PaymentRequirements,
  ): Promise<void>;
  /** An agent with a new wallet, until the test ends. */
  buyer(
    environment?: McpEnvironment,
    options?: { usdc?: bigint; key?: Keypair; signer?: AuthorizationSigner; person?: Person },
  ): Promise<Buyer>;
  /** An agent without a wallet. */
  searcher(environment?: McpEnvironment): Promise<Agent>;
  environment(): McpEnvironment;
}

const LISTING_ATTEMPTS = 20;
const STARTING_USDC = 10_000_000n;

export function useAgentStage({ ledgerMs }: { ledgerMs?: number } = {}): AgentStage {
  const stage = {} as AgentStage;
  beforeAll(async () => {
    const sandbox = await openSandbox({ ...(ledgerMs !== undefined && { ledgerMs }) });
    const catalog = await openCatalog({ dbPath: ':memory:', log: silent });
    const submitters = Array.from({ length: 4 }, () => sandbox.submitter());
    const facilitator = await openFacilitator({ rpcUrl: sandbox.url, submitters, catalog });
    Object.assign(stage, { sandbox, catalog, facilitator, payTo: sandbox.account(0n).publicKey() });
  });
  beforeEach(() => {
    // Ledgers of the local network close faster than those of any other.
    stage.limits = { ...AGENT_LIMITS, wallet: { ...AGENT_LIMITS.wallet, minLedgerMs: 10 } };
  });
  afterEach(() => stage.sandbox.faults.clear());
  afterAll(async () => {
    await stage.facilitator.close();
    await stage.sandbox.close();
  });
  return Object.assign(stage, {
    terms: (changes: Partial<PaymentRequirements> = {}) =>
      requirementsFor(stage.payTo, { maxTimeoutSeconds: MAX_TIMEOUT_SECONDS, ...changes }),
    async list(resource, bazaar, terms = stage.terms()) {
      for (let attempt = 1; attempt <= LISTING_ATTEMPTS; attempt += 1) {
        const settled = { resource, extensions: { bazaar }, requirements: terms, isStellarAsset: true };
        const outcome = await stage.catalog.submit(settled);
        if (outcome?.status === 'success') return;
        expect(outcome, 'the catalog lists it, or does not answer in time').toBeUndefined();
      }
      throw new Error('the catalog does not answer in time');
    },
    environment: () => ({ FACILITATOR_URL: stage.facilitator.url, RPC_URL: stage.sandbox.url }),
    searcher: (environment = {}) =>
      openAgent({ ...stage.environment(), ...environment }, { limits: stage.limits }),
    async buyer(
      environment = {},
      { usdc = STARTING_USDC, key = stage.sandbox.account(usdc), signer, person } = {},
    ) {
      const secret = signer ? {} : { CLIENT_STELLAR_PRIVATE_KEY: key.secret() };
      const agent = await openAgent(
        { ...stage.environment(), ...secret, ...environment },
        { limits: stage.limits, ...(signer && { signer }), ...(person && { person }) },
      );
      const address = signer?.address ?? key.publicKey();
      const start = stage.sandbox.usdc(address);
      return { ...agent, address, spent: () => start - stage.sandbox.usdc(address) };
    },
  } satisfies Partial<AgentStage>);
}

/** What the results say that was paid, in base units. Fails where one is not certain. */
export function paidBy(answers: readonly ToolAnswer[]): bigint {
  return answers.reduce((sum, { structured: { payment } }) => {
    if (payment === undefined) return sum;
    expect(['settled', 'notSettled']).toContain(payment.status);
    return payment.status === 'settled' ? sum + BigInt(payment.amount) : sum;
  }, 0n);
}

/** A new account with money, and the environment of a tool server that pays with it. */
export function newWallet(stage: AgentStage): { key: Keypair; environment: Record<string, string> } {
  const key = stage.sandbox.account();
  const environment = { ...stage.environment(), CLIENT_STELLAR_PRIVATE_KEY: key.secret() };
  return { key, environment: environment };
}
