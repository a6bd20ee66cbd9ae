#!/usr/bin/env node
/**
 * Runs the tool server (`stellar-facilitator-mcp`) on stdio, or with `--http` over HTTP. Only the protocol is written to stdout,
 * unless `--check` asks how calls would do.
 */
import '../process/requireNode.ts';
import { facilitatorKeyProblem, findUnknown, takeEnvironment, toMcpConfig } from './config.ts';
import { createMcpLog } from './log.ts';
import { serveOnStdio, serveOverHttp, type Ready } from './serve.ts';
import { AGENT_LIMITS } from './limits.ts';
import { withoutHidden } from '../log/log.ts';
import { EXIT_CONFIG, EXIT_FAILED, EXIT_USAGE } from '../process/exitCodes.ts';
import { VERSION } from '../process/version.ts';
import { tokenProblem } from '../net/bearerToken.ts';
import { misspelledText } from '../config/misspelled.ts';
import { containsSecretKey } from '../config/secretKeys.ts';
import { readSecretFiles } from '../config/secretFiles.ts';
import { freeStandardStreams } from '../process/standardStreams.ts';
import { UnusableFile } from '../store/sqliteFile.ts';
import { signerFromSecret } from './wallet/index.ts';

/** The widest label of a check, and a space. */
const LABEL_CHARS = 12;

const HELP = `Serves AI agents tools to search, and to pay within limits, over the Model Context Protocol, on stdio or HTTP.

Usage:
  stellar-facilitator-mcp            a host starts it so; settings are read from the environment
  stellar-facilitator-mcp --http     serves many hosts over streamable HTTP, on this machine unless told otherwise
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
if ((option !== undefined && !['--check', '--http'].includes(option)) || others.length > 0) {
  const given = process.argv.slice(2).join(' ');
  const shown = containsSecretKey(given) ? 'an argument with a secret key' : given;
  process.stderr.write(`${shown}: not known. See: stellar-facilitator-mcp --help\n`);
  process.exit(EXIT_USAGE);
}
const unknown = findUnknown(process.env);
const wallets = readSecretFiles(process.env, ['CLIENT_STELLAR_PRIVATE_KEY']);
const keys = readSecretFiles(process.env, ['FACILITATOR_KEY'], facilitatorKeyProblem);
const tokens = readSecretFiles(process.env, ['SVC_MCP_HTTP_TOKEN'], tokenProblem);
const configured = toMcpConfig({
  ...takeEnvironment(process.env),
  ...wallets.secrets,
  ...keys.secrets,
  ...tokens.secrets,
});
const earlyProblems = [...unknown.problems, ...wallets.problems, ...keys.problems, ...tokens.problems];
if ('problems' in configured || earlyProblems.length > 0) {
  const problems = [...earlyProblems, ...('problems' in configured ? configured.problems : [])];
  for (const one of unknown.misspelled) process.stderr.write(`${misspelledText(one)}\n`);
  for (const { variable, text } of problems) process.stderr.write(`${variable} ${text}\n`);
  process.exitCode = EXIT_CONFIG;
} else {
  try {
    await run(configured);
  } catch (error) {
    if (!(error instanceof UnusableFile)) throw error;
    process.stderr.write(`SVC_MCP_BUDGET_FILE ${error.message}\n`);
    process.exitCode = EXIT_CONFIG;
  }
}

async function run(ready: Ready): Promise<void> {
  if (option === '--check') return check(ready);
  const { secret, facilitatorKey, httpToken } = ready;
  const log = createMcpLog([secret, facilitatorKey, httpToken].filter((text) => text !== undefined));
  for (const one of unknown.misspelled) log.warn({ variable: one.variable }, misspelledText(one));
  return option === '--http' ? serveOverHttp(ready, log) : serveOnStdio(ready, log);
}

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
