import { EXIT_CONFIG, EXIT_USAGE } from '../process/exitCodes.ts';

/** Ends a command in an expected way. Tells the operator what is wrong and what to do. Never holds a secret. */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly exitCode: number;
  constructor(exitCode: number, message: string) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Returns the failure of a command line that cannot be understood. */
export function wrongUsage(message: string): Failure {
  return new Failure(EXIT_USAGE, message);
}

/** Returns the failure of an environment that is wrong, with one line per problem. */
export function wrongConfiguration(
  problems: readonly { readonly variable: string; readonly text: string }[],
): Failure {
  return new Failure(EXIT_CONFIG, problems.map(({ variable, text }) => `${variable} ${text}`).join('\n'));
}
