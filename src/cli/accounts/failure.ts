/** Ends the command: what is wrong and what to do, for people, with the exit code. Never holds a secret. */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly exitCode: number;
  constructor(exitCode: number, message: string) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Where the command speaks. */
export interface Terminal {
  /** The result: standard output. */
  say(text: string): void;
  /** Progress and errors: standard error. */
  note(text: string): void;
}
