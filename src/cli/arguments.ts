import { parseArgs } from 'node:util';
import { containsKey } from '../callers/index.ts';
import { containsSecretKey } from '../config/secretKeys.ts';
import { argumentProblem } from '../process/argumentProblem.ts';
import type { Action, Given } from './command.ts';
import { wrongUsage } from './failure.ts';

/** Refuses a command line with a secret key or a caller's key, before any part of it is shown. */
export function refuseSecretKeys(args: readonly string[]): void {
  if (args.some(containsSecretKey))
    throw wrongUsage(
      "a secret key is on the command line, where other programs and the shell's history can see it: stop using that " +
        'key, and give another one in the environment or in a file',
    );
  if (args.some(containsKey))
    throw wrongUsage(
      "a caller's key is on the command line, where other programs and the shell's history can see it: name it by its " +
        'id, the 12 characters after sf_, and give the caller another one',
    );
}

/** True if the arguments ask for help, whatever else they hold. */
export function asksForHelp(args: readonly string[]): boolean {
  return args[0] === 'help' || args.includes('--help') || args.includes('-h');
}

/** True if people want to know which version this is, of the package or of one of its commands. */
export const asksForVersion = (args: readonly string[]): boolean => args.includes('--version');

/** Reads the arguments of an action. Throws a Failure if they are wrong. */
export function readArguments({ operands = [], options = {} }: Action, args: readonly string[]): Given {
  const { values, positionals } = parse(args, options);
  const missing = operands.find((_operand, index) => !positionals[index]?.trim());
  if (missing !== undefined) throw wrongUsage(`${missing} is missing`);
  const extra = positionals[operands.length];
  if (extra !== undefined) throw wrongUsage(`Unexpected argument '${extra}'`);
  return { values, operands: positionals };
}

function parse(args: readonly string[], options: NonNullable<Action['options']>) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    throw wrongUsage(argumentProblem(error));
  }
}
