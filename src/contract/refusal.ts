/** Says why something is refused: a code of the contract, and a sentence for people. It is a value, never thrown. */
export interface Refusal<Code extends string = string> {
  readonly code: Code;
  readonly message: string;
}
