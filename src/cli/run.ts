import { commandLine } from '../process/commands.ts';
import { EXIT_FAILED, EXIT_USAGE } from '../process/exitCodes.ts';
import { VERSION } from '../process/version.ts';
import { asksForHelp, asksForVersion, readArguments, refuseSecretKeys } from './arguments.ts';
import type { Command, Context } from './command.ts';
import { COMMANDS } from './commands.ts';
import { Failure, wrongUsage } from './failure.ts';
import { commandHelp, generalHelp } from './help.ts';
import { PROGRAMS } from './programs.ts';

/** Runs the command that the arguments ask for, and returns the exit code. Secrets never reach the terminal. */
export async function runCli(args: readonly string[], context: Context): Promise<number> {
  const { say, note } = context.terminal;
  const [name = '', ...rest] = args;
  const command = COMMANDS.find((known) => known.name === name);
  try {
    refuseSecretKeys(args);
    if (asksForVersion(args)) {
      say(VERSION);
      return 0;
    }
    if (command !== undefined) return await runCommand(command, rest, context);
    if (!asksForHelp([name]))
      throw unknown(
        name,
        [...COMMANDS, ...PROGRAMS].map((known) => known.name),
      );
    say(generalHelp([...COMMANDS, ...PROGRAMS]));
    return 0;
  } catch (error) {
    if (!(error instanceof Failure)) {
      note(`unexpected fault: ${withoutKeys(error)}`);
      return EXIT_FAILED;
    }
    note(error.message);
    if (error.exitCode === EXIT_USAGE) note(`See: ${commandLine(command?.name)} --help`);
    return error.exitCode;
  }
}

async function runCommand(command: Command, args: readonly string[], context: Context): Promise<number> {
  if (asksForHelp(args)) {
    context.terminal.say(commandHelp(command));
    return 0;
  }
  const [word = '', ...rest] = args;
  const { actions = {} } = command;
  const named = Object.hasOwn(actions, word) ? actions[word] : undefined;
  if (named !== undefined) return named.run(readArguments(named, rest), context);
  if (!('action' in command)) throw unknown(word, Object.keys(actions));
  return command.action.run(readArguments(command.action, args), context);
}

function unknown(word: string, known: readonly string[]): Failure {
  const names = new Intl.ListFormat('en', { type: 'disjunction' }).format(known);
  return wrongUsage(
    word === '' ? `name a command: ${names}` : `there is no command ${JSON.stringify(word)}: name ${names}`,
  );
}

/** Hides everything that looks like a secret key. */
function withoutKeys(error: unknown): string {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return text.replace(/S[A-Z2-7]{55}/g, '[hidden]');
}
