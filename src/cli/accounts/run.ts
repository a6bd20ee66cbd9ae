import { COMMANDS } from '../../process/commands.ts';
import { EXIT_FAILED, EXIT_USAGE } from '../../process/exitCodes.ts';
import { parseCommand } from './command.ts';
import { create } from './create.ts';
import { Failure } from './failure.ts';
import type { Terminal } from './failure.ts';
import { HELP } from './help.ts';
import { list } from './list.ts';
import { withSecretFiles } from './settings.ts';
import type { ProcessEnvironment } from './settings.ts';

/** Runs the command that the arguments ask for, and returns the exit code. Secrets never reach the terminal. */
export async function runAccounts(
  args: readonly string[],
  environment: ProcessEnvironment,
  terminal: Terminal,
): Promise<number> {
  try {
    const command = parseCommand(args);
    if (command.name === 'create') await create(command, withSecretFiles(environment), terminal);
    else if (command.name === 'list') await list(command, withSecretFiles(environment), terminal);
    else terminal.say(HELP);
    return 0;
  } catch (error) {
    if (!(error instanceof Failure)) {
      terminal.note(`unexpected fault: ${withoutKeys(error)}`);
      return EXIT_FAILED;
    }
    terminal.note(error.message);
    if (error.exitCode === EXIT_USAGE) terminal.note(`See: ${COMMANDS.accounts} --help`);
    return error.exitCode;
  }
}

/** Hides everything that looks like a secret key. */
function withoutKeys(error: unknown): string {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return text.replace(/S[A-Z2-7]{55}/g, '[hidden]');
}
