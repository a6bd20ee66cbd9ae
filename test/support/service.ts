import type { Keypair } from '@stellar/stellar-sdk';
import type { Catalog } from '../../src/catalog/index.ts';
import { DEFAULT_FEES, DEFAULT_NEW_LISTINGS_PER_HOUR, type Config } from '../../src/config/config.ts';
import { DEFAULT_CALLERS, type CallerSettings } from '../../src/config/callers.ts';
import type { FeeBalanceSettings } from '../../src/config/feeBalances.ts';
import { DEFAULT_POLICY, type PolicySettings } from '../../src/config/policy.ts';
import { openJournal, type Journal, type SqliteJournal } from '../../src/journal/index.ts';
import type {
  FacilitatorRequest,
  HealthResponse,
  SettleResponse,
  SupportedResponse,
  VerifyResponse,
} from '../../src/contract/index.ts';
import { createLog } from '../../src/log/log.ts';
import { createScheme, type Scheme, type SchemeDeps } from '../../src/scheme/index.ts';
import { keyFromSecret } from '../../src/stellar/key.ts';
import type { RpcLimits } from '../../src/stellar/limits.ts';
import type { SchemeLog } from '../../src/stellar/log.ts';
import { PASSPHRASES } from '../../src/stellar/networks.ts';
import { createRpc } from '../../src/stellar/rpc/pool.ts';
import { openService } from '../../src/service.ts';
import { catalogDouble } from './catalogDouble.ts';
import { expectDocumented } from './contract.ts';
import { NETWORK } from './playedNetwork.ts';
import { WEBHOOK_SECRET } from '../world/webhookReceiver.ts';
import { ANY_PAYMENT, CHECK_SECRET } from './policy.ts';

/** The ceiling of the fee, unless a test sets another: the service's own default. */
export const CEILING_STROOPS = 50_000;

/** The journal of one instance; a test may decide what is open. */
export type TestJournal = Omit<SqliteJournal, 'open'> & Pick<Journal, 'open'>;

export interface FacilitatorOptions {
  /** One node or several. */
  rpcUrl: string | readonly string[];
  submitters: readonly Keypair[];
  feeBump?: Keypair;
  maxTransactionFeeStroops?: number;
  /** Settings of the policy that differ from the service's own; they apply unless parts of the scheme are given. */
  policy?: Partial<PolicySettings>;
  callers?: Partial<CallerSettings>;
  feeBalances?: FeeBalanceSettings;
  /** Parts of the scheme to use instead of those that the configuration makes. */
  parts?: Partial<Omit<SchemeDeps, 'network' | 'rpc' | 'fees' | 'log'>>;
  rpcLimits?: Partial<RpcLimits>;
  /** Unless given, one in memory. */
  journal?: TestJournal;
  /** Shares journal, channel accounts and catalog with other instances; the service then opens its own catalog. */
  databaseUrl?: string;
  /** A file of the catalog, beside which journal and keys are; unless given, nothing is kept. */
  dbPath?: string;
  /**
   * Opens the operator's port, which a token guards if it is given. The service then makes all its parts itself, unless
   * they are given, so that metrics hear of them.
   */
  operator?: { token?: string };
  /** The receiver of webhooks. */
  webhookUrl?: string;
  /** The public URL, if recipients may act on their listings. */
  listingOperations?: string;
  /** The seeds of the keys of receipts; unless given, there are none. */
  receiptSeeds?: readonly string[];
  /** Instead of one made of all this. */
  scheme?: Scheme;
  /** The catalog; unless given, one that lists nothing. */
  catalog?: Catalog;
}

/** The service under test, over HTTP. Every answer is held to openapi.yaml. */
export interface Facilitator {
  url: string;
  verify(request: FacilitatorRequest): Promise<VerifyResponse>;
  settle(request: FacilitatorRequest): Promise<SettleResponse>;
  supported(): Promise<SupportedResponse>;
  health(): Promise<HealthResponse>;
  readPolicyAgain(): void;
  /** The operator's port; empty if there is none. */
  operatorUrl: string;
  /** What was logged so far, one JSON object per line. */
  log: Record<string, unknown>[];
  close(): Promise<void>;
}

export async function openFacilitator(options: FacilitatorOptions): Promise<Facilitator> {
  const { rpcUrl, submitters, feeBump, maxTransactionFeeStroops = CEILING_STROOPS } = options;
  const { parts, rpcLimits, journal, databaseUrl, dbPath = ':memory:', operator } = options;
  const makesCatalog = databaseUrl !== undefined || operator !== undefined;
  const catalog = options.catalog ?? (makesCatalog ? undefined : catalogDouble());
  const lines: Record<string, unknown>[] = [];
  const log = createLog([], {
    write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>),
  });
  const config: Config = {
    network: NETWORK,
    rpcUrls: [rpcUrl].flat(),
    port: 0,
    dbPath,
    feeMode: 'free',
    fees: { ...DEFAULT_FEES, ceilingStroops: maxTransactionFeeStroops },
    policy: { ...DEFAULT_POLICY, ...options.policy },
    callers: { ...DEFAULT_CALLERS, ...options.callers },
    ...(options.feeBalances && { feeBalances: options.feeBalances }),
    newListingsPerHour: DEFAULT_NEW_LISTINGS_PER_HOUR,
    listingOperations: options.listingOperations,
    ...(options.webhookUrl !== undefined && { webhooks: { url: options.webhookUrl } }),
    ...(operator && { operator: { host: '127.0.0.1', port: 0, isPortChosen: true } }),
  };
  const service = await openService({
    config,
    secrets: {
      submitterSecrets: submitters.map((key) => key.secret()),
      feeBumpSecret: feeBump?.secret(),
      databaseUrl,
      policyCheckSecret: CHECK_SECRET,
      operatorToken: operator?.token,
      webhookSecret: WEBHOOK_SECRET,
      receiptSeeds: options.receiptSeeds,
    },
    log,
    readinessLimits: { resultMs: 100, checkWithinMs: 1_000 },
    parts: {
      ...(catalog && { catalog }),
      ...(journal && { journal }),
      ...((parts || rpcLimits || journal) && { scheme: openScheme({ ...options, log }) }),
      ...(options.scheme && { scheme: options.scheme }),
    },
  });
  const exchange = (method: string, path: string, body?: unknown) => call(service.url + path, method, body);
  return {
    url: service.url,
    verify: (request) => exchange('POST', '/verify', request) as Promise<VerifyResponse>,
    settle: (request) => exchange('POST', '/settle', request) as Promise<SettleResponse>,
    supported: () => exchange('GET', '/supported') as Promise<SupportedResponse>,
    health: () => exchange('GET', '/health') as Promise<HealthResponse>,
    readPolicyAgain: () => service.readPolicyAgain(),
    operatorUrl: service.operatorPort === undefined ? '' : `http://127.0.0.1:${service.operatorPort}`,
    log: lines,
    close: () => service.close(),
  };
}

/** The scheme alone, for what no request over HTTP can show. */
export function openScheme({
  rpcUrl,
  submitters,
  feeBump,
  maxTransactionFeeStroops = CEILING_STROOPS,
  parts = {},
  rpcLimits = {},
  log = silent,
  journal = openJournal({ path: ':memory:', log }),
}: FacilitatorOptions & { log?: SchemeLog }): Scheme {
  return createScheme({
    network: NETWORK,
    rpc: createRpc([rpcUrl].flat(), {
      log,
      now: () => performance.now(),
      limits: rpcLimits,
      passphrase: PASSPHRASES[NETWORK],
      remembered: journal.latestClose(),
    }),
    submitters: submitters.map((key) => keyFromSecret(key.secret())),
    feeBump: feeBump && keyFromSecret(feeBump.secret()),
    fees: { ...DEFAULT_FEES, ceilingStroops: maxTransactionFeeStroops },
    policy: ANY_PAYMENT,
    failures: DEFAULT_POLICY,
    journal,
    onLateSettlement: () => {},
    log,
    ...parts,
  });
}

export const silent: SchemeLog = { info: () => {}, warn: () => {}, error: () => {} };

async function call(url: string, method: string, body?: unknown): Promise<unknown> {
  const response = await fetch(url, {
    method,
    ...(body !== undefined && {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  });
  const answer: unknown = await response.json();
  const { pathname: path } = new URL(url);
  expectDocumented({ method, path, status: response.status, headers: response.headers, body: answer });
  return answer;
}
