#!/usr/bin/env node
/**
 * Runs the tool server on stdio (`stellar-facilitator-mcp`). Only the protocol is written to stdout, unless `--check` asks how calls
 * would do.
 */
import '../process/requireNode.ts';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import {
  facilitatorKeyProblem,
  findUnknown,
  takeEnvironment,
  toMcpConfig,
  type Configured,
  type McpConfig,
} from './config.ts';
import { createMcpLog } from './log.ts';
import { createToolServer } from './server.ts';
import { AGENT_LIMITS } from './limits.ts';
import { withoutHidden } from '../log/log.ts';
import { EXIT_CONFIG, EXIT_FAILED, EXIT_USAGE } from '../process/exitCodes.ts';
import { VERSION } from '../process/version.ts';
import { misspelledText } from '../config/misspelled.ts';
import { containsSecretKey } from '../config/secretKeys.ts';
import { readSecretFiles } from '../config/secretFiles.ts';
import { freeStandardStreams } from '../process/standardStreams.ts';
import { UnusableFile } from '../store/sqliteFile.ts';
import { signerFromSecret } from './wallet/index.ts';

/** The widest label of a check, and a space. */
const LABEL_CHARS = 12;

const HELP = `Serves AI agents tools to search, and to pay within limits, over the Model Context Protocol on stdio.

Usage:
  stellar-facilitator-mcp            a host starts it so; settings are read from the environment
  stellar-facilitator-mcp --check    shows the wallet and its limits, and whether calls would work; pays nothing
  stellar-facilitator-mcp --version

docs/agent.md has the settings.
`;

freeStandardStreams();
const [option, ...others] = process.argv.slice(2);
if (option === '--help' || option === '-h') {
  process.stdout.write(HELP);
  process.exit(0);
}
if (option === '--version') {
  process.stdout.write(`${VERSION}\n`);
  process.exit(0);
}
if ((option !== undefined && option !== '--check') || others.length > 0) {
  const given = process.argv.slice(2).join(' ');
  const shown = containsSecretKey(given) ? 'an argument with a secret key' : given;
  process.stderr.write(`${shown}: not known. See: stellar-facilitator-mcp --help\n`);
  process.exit(EXIT_USAGE);
}
const unknown = findUnknown(process.env);
const wallets = readSecretFiles(process.env, ['CLIENT_STELLAR_PRIVATE_KEY']);
const keys = readSecretFiles(process.env, ['FACILITATOR_KEY'], facilitatorKeyProblem);
const configured = toMcpConfig({ ...takeEnvironment(process.env), ...wallets.secrets, ...keys.secrets });
const earlyProblems = [...unknown.problems, ...wallets.problems, ...keys.problems];
if ('problems' in configured || earlyProblems.length > 0) {
  const problems = [...earlyProblems, ...('problems' in configured ? configured.problems : [])];
  for (const one of unknown.misspelled) process.stderr.write(`${misspelledText(one)}\n`);
  for (const { variable, text } of problems) process.stderr.write(`${variable} ${text}\n`);
  process.exitCode = EXIT_CONFIG;
} else {
  try {
    await (option === '--check' ? check(configured) : run(configured));
  } catch (error) {
    if (!(error instanceof UnusableFile)) throw error;
    process.stderr.write(`SVC_MCP_BUDGET_FILE ${error.message}\n`);
    process.exitCode = EXIT_CONFIG;
  }
}

type Ready = Exclude<Configured, { problems: unknown }>;

/** Shows what calls would meet, on stdout. The exit code is 0 if a paid call would work. */
async function check({ config, secret, facilitatorKey }: Ready): Promise<void> {
  const { checkSetUp } = await import('./check.ts');
  const signer = secret === undefined ? undefined : signerFromSecret(secret);
  const { lines, canPay } = await checkSetUp({ config, signer, facilitatorKey, limits: AGENT_LIMITS });
  const hidden = [secret, facilitatorKey].filter((text) => text !== undefined);
  for (const [label, text] of lines)
    process.stdout.write(`${label.padEnd(LABEL_CHARS)} ${withoutHidden(text, hidden)}\n`);
  process.exitCode = canPay ? 0 : EXIT_FAILED;
}

async function run({ config, secret, facilitatorKey }: Ready): Promise<void> {
  const log = createMcpLog([secret, facilitatorKey].filter((text) => text !== undefined));
  for (const one of unknown.misspelled) log.warn({ variable: one.variable }, misspelledText(one));
  const signer = secret === undefined ? undefined : signerFromSecret(secret);
  const server = createToolServer({ config, signer, facilitatorKey, log });
  log.info(settingsOf(config, signer?.address), 'started');
  if (process.stdin.isTTY)
    log.info({}, 'speaks the Model Context Protocol on stdio: a host starts it, see docs/agent.md');

  let isStopping = false;
  const stop = async (why: string): Promise<void> => {
    if (isStopping) return;
    isStopping = true;
    log.info({ why }, 'stopping');
    await server.close();
    log.info({}, 'stopped');
    process.exit(0);
  };
  // Handled once: a second signal ends the process at once, as it does by default.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void stop(signal));
  // A host that has gone away closes the pipes. Its earlier calls are still answered if somebody reads.
  process.stdin.once('end', () => void stop('stdin ended'));
  process.stdout.on('error', () => void stop('stdout is closed'));
  // Payments may be under way: an unhandled rejection in a library must not stop the server from following them.
  process.on('unhandledRejection', (error) => log.error({ err: error }, 'unhandled'));
  const session = server.openSession();
  void session.disconnected.then(() => stop('disconnected'));
  await session.connect(new StdioServerTransport());
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
