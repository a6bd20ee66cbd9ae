import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import type { Log } from '../log/log.ts';
import { EXIT_FAILED } from '../process/exitCodes.ts';
import type { Configured, McpConfig } from './config.ts';
import { SHARED_AGENT_LIMITS } from './limits.ts';
import { createToolServer } from './server.ts';
import { serveHost } from './stdio.ts';
import { signerFromSecret } from './wallet/index.ts';

export type Ready = Exclude<Configured, { problems: unknown }>;

/** Serves one host on stdio, until it goes away or a signal comes. */
export async function serveOnStdio({ config, secret, facilitatorKey }: Ready, log: Log): Promise<void> {
  const signer = secret === undefined ? undefined : signerFromSecret(secret);
  const tools = createToolServer({ config, signer, facilitatorKey, log });
  log.info(settingsOf(config, signer?.address), 'started');
  if (process.stdin.isTTY)
    log.info({}, 'speaks the Model Context Protocol on stdio: a host starts it, see docs/agent.md');
  const stop = stopsOnce(log, () => tools.close());
  // A host that has gone away closes the pipes. Its earlier calls are still answered if somebody reads.
  process.stdin.once('end', () => void stop('stdin ended'));
  process.stdout.on('error', () => void stop('stdout is closed'));
  void serveHost({ tools, wire: new StdioServerTransport(), log }).then(() => stop('disconnected'));
}

/** Serves many hosts over HTTP, until a signal comes. Without a wallet they can only search. */
export async function serveOverHttp(ready: Ready, log: Log): Promise<void> {
  const { config, secret, facilitatorKey, httpToken: token } = ready;
  const signer = secret === undefined ? undefined : signerFromSecret(secret);
  const offersCalls = signer !== undefined;
  const limits = SHARED_AGENT_LIMITS;
  const tools = createToolServer({ config, signer, facilitatorKey, log, limits, offersCalls });
  const { http } = config;
  const { listen } = await import('./streamable/listen.ts');
  try {
    const listening = await listen({ tools, http, token, log });
    log.info({ url: listening.url, ...settingsOf(config, signer?.address) }, 'started');
    stopsOnce(log, () => listening.close());
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (syscall !== 'listen') throw error;
    await tools.close();
    process.stderr.write(
      `SVC_MCP_HTTP_PORT ${http.port} on ${http.host} cannot be listened on (${code}): set another\n`,
    );
    process.exitCode = EXIT_FAILED;
  }
}

/** Returns a function that closes, and then ends the process. Signals call it, too. */
function stopsOnce(log: Log, close: () => Promise<void>): (why: string) => Promise<void> {
  let isStopping = false;
  const stop = async (why: string): Promise<void> => {
    if (isStopping) return;
    isStopping = true;
    log.info({ why }, 'stopping');
    try {
      await close();
    } catch (error) {
      log.error({ err: error }, 'could not close everything');
      process.exit(EXIT_FAILED);
    }
    log.info({}, 'stopped');
    process.exit(0);
  };
  // Handled once: a second signal ends the process at once, as it does by default.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void stop(signal));
  // Payments may be under way: an unhandled rejection in a library must not stop the server from following them.
  process.on('unhandledRejection', (error) => log.error({ err: error }, 'unhandled'));
  return stop;
}

/** Returns what the log shows of the settings: of an RPC only its origin, since the rest may be a provider's key. */
function settingsOf(config: McpConfig, address: string | undefined): object {
  const { network, facilitatorUrl, rpcUrls, spend, approveAbove } = config;
  const rpc = rpcUrls.map((url) => new URL(url).origin);
  const [maxAmount, sessionBudget] = [String(spend.maxAmount), String(spend.sessionBudget)];
  const { allowedAssets } = spend;
  const approval = approveAbove !== undefined && { approveAbove: String(approveAbove) };
  return {
    network,
    facilitatorUrl,
    rpc,
    wallet: address ?? null,
    maxAmount,
    sessionBudget,
    ...approval,
    allowedAssets,
  };
}
