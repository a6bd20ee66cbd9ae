/** Ends the command. Tells people what is wrong and what to do, and has the exit code. Never holds a secret. */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly exitCode: number;
  constructor(exitCode: number, message: string) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Shows people the command's output. */
export interface Terminal {
  /** Writes the result to standard output. */
  say(text: string): void;
  /** Writes progress and errors to standard error. */
  note(text: string): void;
}
