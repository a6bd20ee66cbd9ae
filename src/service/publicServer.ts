import { createCallers, createClientAddresses } from '../callers/index.ts';
import type { Config } from '../config/config.ts';
import { createHandlers } from '../handlers/index.ts';
import { defaultMessage } from '../handlers/messages.ts';
import { createApp } from '../http/app.ts';
import { HTTP_LIMITS, type HttpLimits } from '../http/limits.ts';
import type { HttpObserver } from '../http/observer.ts';
import { createServer, type HttpServer } from '../http/server.ts';
import { VERSION } from '../process/version.ts';
import { KNOWN_ASSETS } from '../stellar/assets.ts';
import type { Parts } from './parts.ts';
import type { OpenTracing } from './tracing.ts';

interface PublicServerDeps extends Pick<OpenTracing, 'tracer' | 'log'> {
  config: Config;
  parts: Parts;
  /** Returns the bound port. */
  boundPort: () => number;
  observer: HttpObserver | undefined;
  httpLimits: Partial<HttpLimits>;
}

/** Builds what knows the callers, and what answers them. */
export function createServed({
  config,
  parts,
  boundPort,
}: Pick<PublicServerDeps, 'config' | 'parts' | 'boundPort'>) {
  const { keys, policy } = parts;
  const admission = createCallers({ settings: config.callers, keys, messageOf: defaultMessage });
  const handlers = createHandlers({
    ...parts,
    config,
    version: VERSION,
    servedAssets: () => policy.servedAssets(),
    boundPort,
    assets: KNOWN_ASSETS[config.network],
    budgetOf: admission.budgetOf,
  });
  return { admission, handlers };
}

/** Builds what answers requests over HTTP. */
export async function createPublicServer({
  config,
  parts,
  boundPort,
  observer,
  httpLimits,
  log,
  tracer,
}: PublicServerDeps): Promise<HttpServer> {
  const { network } = config;
  const { admission, handlers } = createServed({ config, parts, boundPort });
  const clients = createClientAddresses(config.callers.trustedProxies);
  const limits = httpLimitsOf(config, httpLimits);
  const { corsOrigins } = config;
  const app = await createApp({
    ...{ handlers, admission, clients, corsOrigins, network, observer, log, tracer, limits },
  });
  return createServer({ app, clients, log, limits });
}

/** Returns the limits of HTTP, with the connections of an address that the configuration allows. */
function httpLimitsOf({ callers }: Config, given: Partial<HttpLimits>): Partial<HttpLimits> {
  const { connections: perCaller } = callers.limits;
  if (perCaller === undefined) return given;
  return { maxConnections: { ...HTTP_LIMITS.maxConnections, perCaller }, ...given };
}
