/** `npm run sandbox`: serves a local Stellar network until you stop it, and prints how to use it. */
import { writeCertificate } from './certificateFile.ts';
import { asksForHelp, HELP } from './help.ts';
import { instructions } from './instructions.ts';
import { startSandbox, type Sandbox } from './server.ts';
import { readSettings, type Settings } from './settings.ts';
import { keepState, type StateKeeper } from './stateFile.ts';

const EXIT_FAILED = 1;
const EXIT_BAD_CONFIGURATION = 78;

const args = process.argv.slice(2);
if (asksForHelp(args)) console.log(HELP);
else await start(args);

async function start(given: string[]): Promise<void> {
  const settings = readSettings(given, process.env);
  if ('problems' in settings) {
    console.error(settings.problems.join('\n'));
    process.exit(EXIT_BAD_CONFIGURATION);
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
