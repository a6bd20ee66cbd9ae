import { rpcOrigins, type Config, type Secrets } from './config/config.ts';
import type { HttpLimits } from './http/limits.ts';
import type { HttpServer } from './http/server.ts';
import type { Log } from './log/log.ts';
import type { OperatorServer, ReadinessLimits } from './operator/index.ts';
import { createMetrics, type Metrics } from './operator/metrics/index.ts';
import { VERSION } from './process/version.ts';
import type { Scheme } from './scheme/index.ts';
import { checkNodes } from './service/foreignNodes.ts';
import { feeBudgetsOf, openOperatorPort } from './service/operator.ts';
import { createParts, type GivenParts } from './service/parts.ts';
import { createPublicServer } from './service/publicServer.ts';
import { openTracing } from './service/tracing.ts';

export interface ServiceOptions {
  config: Config;
  secrets: Secrets;
  log: Log;
  parts?: GivenParts;
  httpLimits?: Partial<HttpLimits>;
  readinessLimits?: Partial<ReadinessLimits>;
  /** Returns the number of log lines that were lost. */
  lostLogLines?: () => number;
}

export interface Service {
  readonly url: string;
  /** The bound port. */
  readonly port: number;
  /** The bound port of the operator; undefined if there is none. */
  readonly operatorPort: number | undefined;
  /** The accounts, and what they have. */
  readonly scheme: Pick<Scheme, 'state' | 'readBalances'>;
  /** Reads the policy file again; see Policy. */
  readPolicyAgain(): void;
  /** Stops listening, finishes the requests in flight within a bounded time, and closes the parts. */
  close(): Promise<void>;
}

/**
 * Builds the parts, hands them to each other and listens. Fails if the port cannot be bound. Fails with UnusableFile,
 * UnusableDatabase or DatabaseUnavailable if a store cannot be used, and with ForeignNodes if no node is of the network.
 */
export async function openService({
  config,
  secrets,
  parts: given = {},
  httpLimits = {},
  readinessLimits,
  lostLogLines = () => 0,
  ...options
}: ServiceOptions): Promise<Service> {
  const tracing = await openTracing(config, secrets, options.log);
  const { log, tracer } = tracing;
  // Nobody else asks for metrics.
  const metrics = config.operator && metricsOf(config);
  const observers = metrics?.observers;
  const parts = await createParts({ config, secrets, given, observers, tracer, log });
  let operator: OperatorServer | undefined;
  async function close(server?: HttpServer): Promise<void> {
    // Both ports at once: a request to the operator's must not delay the end of the public one.
    await parts.close(async () => void (await Promise.all([operator?.close(), server?.close()])));
    await tracing.close();
  }
  let port = 0;
  try {
    const boundPort = (): number => port;
    const observer = observers?.http;
    const server = await createPublicServer({ config, parts, boundPort, observer, httpLimits, log, tracer });
    // It tells how the start goes on.
    operator =
      metrics &&
      (await openOperatorPort({
        config,
        token: secrets.operatorToken,
        parts: { ...parts, http: server, metrics, lostLogLines },
        log,
        readinessLimits,
      }));
    await parts.open();
    // Opening asks each node for its network.
    checkNodes(parts.scheme, config.network);
    port = await server.listen(config.port, config.host);
    const url = `http://${hostOf(config)}:${port}`;
    const operatorPort = operator?.port;
    logStart(config, { url, operatorPort }, log);
    return {
      url,
      port,
      operatorPort,
      scheme: parts.scheme,
      readPolicyAgain: () => parts.policy.readAgain(),
      close: () => close(server),
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function metricsOf({ network, callers }: Config): Metrics {
  return createMetrics({ version: VERSION, network, feeBudgets: feeBudgetsOf(callers) });
}

function logStart(config: Config, bound: { url: string; operatorPort: number | undefined }, log: Log): void {
  const { network, dbPath, serving = {} } = config;
  if (Object.keys(serving).length > 0) log.info({ ...serving }, 'rules for callers');
  log.info({ ...bound, network, rpcUrl: rpcOrigins(config), dbPath }, 'listening');
}

/** Returns an address of this machine that the service listens on, in the form that a URL needs. */
function hostOf({ host = '0.0.0.0' }: Config): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}
