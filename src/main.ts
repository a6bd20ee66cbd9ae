import { constants } from 'node:os';
import { configure, HIDDEN_VARIABLES, type Config, type Secrets } from './config/config.ts';
import { EXIT_CONFIG, EXIT_FAILED } from './process/exitCodes.ts';
import { hiddenTexts } from './config/hiddenTexts.ts';
import { createLog } from './log/log.ts';
import { openLogOutput } from './log/output.ts';
import { openService, type Service } from './service.ts';
import { setupHelp } from './config/setupHelp.ts';
import { storeProblem } from './config/storeProblem.ts';
import { freeStandardStreams, sayOnStderr } from './process/standardStreams.ts';

const STDOUT = 1;
/** Added to a signal's number to make the exit code, as shells do. */
const EXIT_SIGNAL = 128;

freeStandardStreams();
const configured = configure(process.env);
if ('problems' in configured) {
  const lines = configured.problems.map(({ variable, text }) => `${variable} ${text}`);
  const isSet = (name: string): boolean => Boolean(process.env[name]?.trim());
  if (!isSet('SUBMITTER_SECRET') && !isSet('SUBMITTER_SECRET_FILE')) lines.push(setupHelp());
  await sayOnStderr(lines.join('\n'));
  process.exit(EXIT_CONFIG);
}
// Keep the secrets from the catalog's threads and from diagnostic reports.
for (const name of HIDDEN_VARIABLES) delete process.env[name];
await run(configured.config, configured.secrets);

async function run(config: Config, secrets: Secrets): Promise<void> {
  const output = openLogOutput(STDOUT);
  const log = createLog(hiddenTexts(config, secrets), output);
  const end = async (exitCode: number, line?: string): Promise<never> => {
    if (line !== undefined) await sayOnStderr(line);
    await output.flush();
    process.exit(exitCode);
  };
  let service: Service | undefined;
  onStopSignal(async (signal) => {
    log.info({ signal }, 'stopping');
    // During the start there is nothing to wait for: whatever is cut off is written as a whole or not at all.
    await service?.close();
    log.info({}, 'stopped');
    await end(0);
  });
  try {
    service = await openService({ config, secrets, log });
  } catch (error) {
    const stores = storeProblem(error, config.dbPath);
    if (stores !== undefined) return end(stores.exitCode, stores.text);
    const problem = listenProblem(error, config);
    if (problem === undefined) log.error({ err: error }, 'start failed');
    return end(EXIT_FAILED, problem);
  }
}

/** Tells the operator why the service cannot listen; undefined for any other fault. */
function listenProblem(error: unknown, { host, port }: Config): string | undefined {
  const { code, syscall } = error as NodeJS.ErrnoException;
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
