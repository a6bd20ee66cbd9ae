import type { parseArgs, ParseArgsConfig } from 'node:util';

/** A tool of the service, as people see it: what it is for, how it is called, and what it then does. */
export type Command = {
  /** The word that people type. In the project's folder, an npm script has the same name. */
  readonly name: string;
  /** A sentence without its full stop. The command's help begins with it. */
  readonly summary: string;
  /** The words that follow the command's name, a text for each way to call it. */
  readonly usage: readonly string[];
  /** The rest of the help: what the arguments mean, and what the command needs and does. */
  readonly details: string;
} & ({ readonly action: Action; readonly actions?: Actions } | { readonly actions: Actions });

/** The things that a command does, by the words that people type. Without such a word it does its `action`. */
type Actions = Readonly<Record<string, Action>>;

/** A thing that a command does. */
export interface Action<O extends Options = Options> {
  /** The arguments, such as `<file>`. People must give all of them. */
  readonly operands?: readonly string[];
  readonly options?: O;
  /** Returns the exit code. Throws a Failure if the command cannot do its work. */
  run(given: Given<O>, context: Context): Promise<number>;
}

type Options = NonNullable<ParseArgsConfig['options']>;

/** Holds the options and operands that people gave on the command line. */
export interface Given<O extends Options = Options> {
  readonly values: ReturnType<typeof parseArgs<{ options: O }>>['values'];
  readonly operands: readonly string[];
}

/** Tells a command about the process that it runs in. */
export interface Context {
  readonly environment: ProcessEnvironment;
  readonly terminal: Terminal;
}

export type ProcessEnvironment = Readonly<Record<string, string | undefined>>;

/** Shows people the command's output. */
export interface Terminal {
  /** Writes the result to standard output. */
  say(text: string): void;
  /** Writes progress and errors to standard error. */
  note(text: string): void;
  /**
   * Writes a part of a long result to standard output, and waits for its reader. Returns false once nobody reads it any
   * more.
   */
  write(text: string): Promise<boolean>;
  /** The width of the window; undefined if the result goes elsewhere. */
  readonly columns?: number | undefined;
}

/** Declares an action, and lets `run` know the values of its options by their types. */
export function action<const O extends Options>(declared: Action<O>): Action {
  return declared;
}
