import { createPolicy, type KnownKeys, type Policy } from '../callers/index.ts';
import type { Catalog } from '../catalog/index.ts';
import type { Config, Secrets } from '../config/config.ts';
import { readPolicyFile } from '../config/policyFile/read.ts';
import { createPendingListings, type PendingListings } from '../handlers/pendingListings.ts';
import type { Journal } from '../journal/index.ts';
import type { Log } from '../log/log.ts';
import type { Observers } from '../operator/metrics/index.ts';
import { VERSION } from '../process/version.ts';
import { heardBy, startProver, type Prover } from '../proofs/index.ts';
import { createReceipts, type Receipts } from '../receipts/index.ts';
import { createScheme, type Scheme, type SchemeDeps } from '../scheme/index.ts';
import { keyFromSecret } from '../stellar/key.ts';
import { PASSPHRASES } from '../stellar/networks.ts';
import { createRpc } from '../stellar/rpc/pool.ts';
import { createWebhooks, type WebhookObserver, type Webhooks } from '../webhooks/index.ts';
import { openStores } from './stores.ts';
import type { OpenTracing } from './tracing.ts';

/** Time between two looks for listings that other instances left. */
const LIST_OTHERS_EVERY_MS = 10_000;

/** Parts to use instead of the service's own. */
export interface GivenParts {
  scheme?: Scheme;
  catalog?: Catalog;
  journal?: Journal;
}

export interface PartsOptions extends Pick<OpenTracing, 'tracer' | 'log'> {
  config: Config;
  secrets: Secrets;
  given: GivenParts;
  observers: Observers | undefined;
}

/** The parts behind the ports. */
export interface Parts {
  readonly scheme: Scheme;
  readonly catalog: Catalog;
  readonly journal: Journal;
  readonly keys: KnownKeys;
  readonly policy: Policy;
  readonly pendingListings: PendingListings;
  /** Undefined if there are none. */
  readonly webhooks: Webhooks | undefined;
  /** Undefined if there are none. */
  readonly receipts: Receipts | undefined;
  /** Learns what earlier processes left, and goes on with it. */
  open(): Promise<void>;
  /** Closes the parts, together with the servers, and what those ask last. */
  close(closeServers: () => Promise<void>): Promise<void>;
}

/**
 * Builds the parts, and hands them to each other. Fails with UnusableFile, UnusableDatabase or DatabaseUnavailable if a
 * store cannot be used.
 */
export async function createParts({
  config,
  secrets,
  given,
  observers,
  tracer,
  log,
}: PartsOptions): Promise<Parts> {
  const stores = await openStores({ config, secrets, log, given, observers });
  const { journal, keys, sharing } = stores;
  const prover = proverOf(config, stores.catalog, log);
  const catalog = prover === undefined ? stores.catalog : heardBy(prover, stores.catalog);
  const pendingListings = createPendingListings({ journal, catalog });
  // Another instance may have died before it wrote a listing.
  const listing = sharing && setInterval(() => void pendingListings.list(), LIST_OTHERS_EVERY_MS).unref();
  const webhooks = webhooksOf(config, secrets, { journal, observer: observers?.webhooks, log });
  const onLateSettlement = (): void => void pendingListings.list();
  const policy = policyOf(config, secrets, log);
  const scheme =
    given.scheme ??
    (await schemeOf(config, secrets, { log, tracer, journal, sharing, onLateSettlement, policy, observers }));
  return {
    scheme,
    catalog,
    journal,
    keys,
    policy,
    pendingListings,
    webhooks,
    receipts: secrets.receiptSeeds && createReceipts(secrets.receiptSeeds),
    async open() {
      await scheme.open();
      void pendingListings.list();
      webhooks?.start();
    },
    async close(closeServers) {
      clearInterval(listing);
      // Close both together: the scheme tells senders how far their requests are, before their connections close.
      await Promise.all([closeServers(), scheme.close()]);
      await policy.close();
      // Close these last: what settled until now is still to be listed.
      await pendingListings.close();
      await prover?.close();
      await webhooks?.close();
      await stores.close();
    },
  };
}

function proverOf({ proofs: reach }: Config, catalog: Catalog, log: Log): Prover | undefined {
  if (reach === undefined) return undefined;
  return startProver({ catalog, reach, userAgent: `stellar-facilitator/${VERSION}`, log });
}

function policyOf(config: Config, { policyCheckSecret }: Secrets, log: Log): Policy {
  const { policy, network, fees } = config;
  const { file } = policy;
  return createPolicy({
    settings: policy,
    rules: policy.rules,
    read: () =>
      file === undefined ? { rules: policy.rules } : readPolicyFile(file, policyCheckSecret !== undefined),
    ceilingStroops: fees.ceilingStroops,
    network,
    secret: policyCheckSecret ?? '',
    log,
  });
}

function webhooksOf(
  { webhooks }: Config,
  { webhookSecret = '' }: Secrets,
  { journal: { events }, ...deps }: { journal: Journal; observer: WebhookObserver | undefined; log: Log },
): Webhooks | undefined {
  return webhooks && events && createWebhooks({ ...webhooks, secret: webhookSecret, events, ...deps });
}

async function schemeOf(
  config: Config,
  { submitterSecrets, feeBumpSecret }: Secrets,
  {
    log,
    tracer,
    observers,
    ...deps
  }: Pick<SchemeDeps, 'onLateSettlement' | 'sharing' | 'policy' | 'tracer'> & {
    journal: Journal;
    observers: Observers | undefined;
    log: Log;
  },
): Promise<Scheme> {
  return createScheme({
    ...deps,
    network: config.network,
    rpc: createRpc(config.rpcUrls, {
      log,
      tracer,
      now: () => performance.now(),
      passphrase: PASSPHRASES[config.network],
      remembered: await deps.journal.latestClose(),
      observer: observers?.rpc,
    }),
    submitters: submitterSecrets.map(keyFromSecret),
    feeBump: feeBumpSecret === undefined ? undefined : keyFromSecret(feeBumpSecret),
    fees: config.fees,
    ...(config.feeBalances && { feeBalances: config.feeBalances }),
    failures: config.policy,
    observer: observers?.scheme,
    log,
    tracer,
  });
}
