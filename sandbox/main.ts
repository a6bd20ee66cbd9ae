/** `npm run sandbox`: serves a local Stellar network until you stop it, and prints how to use it. */
import { misspelledText } from '../src/config/misspelled.ts';
import { EXIT_CONFIG, EXIT_FAILED, EXIT_USAGE } from '../src/process/exitCodes.ts';
import { commandLine } from '../src/process/commands.ts';
import { writeCertificate } from './certificateFile.ts';
import { asksForHelp, HELP } from './help.ts';
import { instructions } from './instructions.ts';
import { startSandbox, type Sandbox } from './server.ts';
import { misspelledIn, readSettings, stateFileIn, type Settings } from './settings.ts';
import { keepState, type StateKeeper } from './stateFile.ts';

const args = process.argv.slice(2);
if (asksForHelp(args)) console.log(HELP);
else await start(args);

async function start(given: string[]): Promise<void> {
  const state = stateFileIn(given);
  if ('problem' in state) {
    console.error(`${state.problem}\nSee: ${commandLine('sandbox')} --help`);
    process.exit(EXIT_USAGE);
  }
  for (const one of misspelledIn(process.env)) console.error(misspelledText(one));
  const settings = readSettings(state.path, process.env);
  if ('problems' in settings) {
    console.error(settings.problems.join('\n'));
    process.exit(EXIT_CONFIG);
  }
  try {
    await run(settings);
  } catch (error) {
    console.error(faultText(error as Error));
    process.exit(EXIT_FAILED);
  }
}

async function run(settings: Settings): Promise<void> {
  const sandbox = await startSandbox(settings);
  const state = keeperOf(sandbox, settings);
  const certificate = writeCertificate(sandbox.caCertificate, Number(new URL(sandbox.httpsUrl).port));
  const stop = async (): Promise<void> => {
    certificate.remove();
    // The ports close first: what is saved is all that was answered.
    await sandbox.close();
    state?.close();
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => {
      stop().catch((error: Error) => {
        console.error(faultText(error));
        process.exitCode = EXIT_FAILED;
      });
    });
  console.log(instructions(sandbox, settings, certificate.path));
}

function keeperOf({ network }: Sandbox, { stateFile }: Settings): StateKeeper | undefined {
  if (stateFile === undefined) return undefined;
  return keepState(network, stateFile, (error) => console.error(`the state was not saved: ${error.message}`));
}

function faultText(error: Error): string {
  const { code, port, message } = error as NodeJS.ErrnoException & { port?: number };
  return code === 'EADDRINUSE'
    ? `port ${port} is in use; set SANDBOX_PORT to another (it and the next one are needed)`
    : `the sandbox failed: ${message}`;
}
