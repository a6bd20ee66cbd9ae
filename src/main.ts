import { constants } from 'node:os';
import { isatty } from 'node:tty';
import { configure, HIDDEN_VARIABLES, SETTINGS, type Config, type Secrets } from './config/config.ts';
import { EXIT_CONFIG, EXIT_FAILED } from './process/exitCodes.ts';
import { findMisspelled, misspelledText } from './config/misspelled.ts';
import { hiddenTexts } from './config/hiddenTexts.ts';
import { createLog } from './log/log.ts';
import { openLogOutput } from './log/output.ts';
import { openService, type Service } from './service.ts';
import { ForeignNodes } from './service/foreignNodes.ts';
import { logStarted } from './service/startBlock.ts';
import { setupHelp } from './config/setupHelp.ts';
import { storeProblem } from './config/storeProblem.ts';
import { freeStandardStreams, sayOnStderr } from './process/standardStreams.ts';
import { compactHeap, letYoungGenerationGrow } from './process/startMemory.ts';

const STDOUT = 1;
/** Added to a signal's number to make the exit code, as shells do. */
const EXIT_SIGNAL = 128;

freeStandardStreams();
const configured = configure(process.env);
/** Other programs may have such variables, so none of them stops the start. */
const misspelled = findMisspelled(process.env, SETTINGS);
if ('problems' in configured) {
  const lines = configured.problems.map(({ variable, text }) => `${variable} ${text}`);
  const isSet = (name: string): boolean => Boolean(process.env[name]?.trim());
  if (!isSet('SUBMITTER_SECRET') && !isSet('SUBMITTER_SECRET_FILE')) lines.push(setupHelp());
  lines.unshift(...misspelled.map(misspelledText));
  await sayOnStderr(lines.join('\n'));
  process.exit(EXIT_CONFIG);
}
// Keep the secrets from the catalog's threads and from diagnostic reports.
for (const name of HIDDEN_VARIABLES) delete process.env[name];
await run(configured.config, configured.secrets);

async function run(config: Config, secrets: Secrets): Promise<void> {
  const output = openLogOutput(STDOUT, await lineFormat(config));
  const log = createLog(hiddenTexts(config, secrets), output, config.log?.level);
  for (const one of misspelled) log.warn({ variable: one.variable }, misspelledText(one));
  const stopping = new AbortController();
  const end = async (exitCode: number, line?: string): Promise<never> => {
    if (line !== undefined) await sayOnStderr(line);
    await output.flush();
    process.exit(exitCode);
  };
  let service: Service | undefined;
  onStopSignal(async (signal) => {
    stopping.abort();
    log.info({ signal }, 'stopping');
    // During the start there is nothing to wait for: whatever is cut off is written as a whole or not at all.
    await service?.close();
    log.info({}, 'stopped');
    await end(0);
  });
  // Without a policy file the signal ends the process, as it does by default.
  if (config.policy.file !== undefined) process.on('SIGHUP', () => service?.readPolicyAgain());
  try {
    service = await openService({ config, secrets, log, lostLogLines: () => output.lostLines() });
    compactHeap();
    letYoungGenerationGrow();
    void logStarted({ config, log }, service, stopping.signal);
  } catch (error) {
    const stores = storeProblem(error, config.dbPath);
    if (stores !== undefined) return end(stores.exitCode, stores.text);
    if (error instanceof ForeignNodes) return end(EXIT_CONFIG, error.message);
    const problem = listenProblem(error, config);
    if (problem === undefined) log.error({ err: error }, 'start failed');
    return end(EXIT_FAILED, problem);
  }
}

/** Returns what makes log lines readable, if people read them; undefined for JSON. */
async function lineFormat({ log }: Config): Promise<((line: string) => string) | undefined> {
  const isTerminal = isatty(STDOUT);
  if ((log?.format ?? (isTerminal ? 'pretty' : 'json')) === 'json') return undefined;
  const { createPretty } = await import('./log/pretty.ts');
  return createPretty({ hasColours: isTerminal && !process.env['NO_COLOR'] });
}

/** Tells the operator why the service cannot listen; undefined for any other fault. */
function listenProblem(error: unknown, { host, port, operator }: Config): string | undefined {
  const { code, syscall, port: asked } = error as NodeJS.ErrnoException & { port?: number };
  if (syscall === 'listen' && operator !== undefined && asked === operator.port && asked !== port)
    return `OPERATOR_PORT ${operator.port} on ${operator.host} cannot be listened on (${code}): set another, or off`;
  if (code === 'EADDRINUSE') return `PORT ${port} is in use: stop what listens there, or set another`;
  if (code === 'EACCES') return `PORT ${port} may not be used by this user: set another`;
  if (syscall === 'listen' && host !== undefined)
    return `HOST ${host} cannot be listened on (${code}): name an address of this machine`;
  return undefined;
}

/**
 * Stops at the first signal; a second one ends the process at once. Handles both itself, since the first process of a
 * container ignores a signal that has no handler.
 */
function onStopSignal(stop: (signal: string) => Promise<void>): void {
  let isStopping = false;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (isStopping) process.exit(EXIT_SIGNAL + constants.signals[signal]);
      isStopping = true;
      void stop(signal);
    });
  }
}
