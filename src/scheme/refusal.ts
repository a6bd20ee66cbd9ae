import type { PolicyCode, SettleCode, VerifyCode } from '../contract/index.ts';

/** The codes of the scheme, and those of the operator's policy. */
export type SchemeCode = VerifyCode | SettleCode | PolicyCode;

/** The reason why a payment is refused: a code of the contract and a sentence for people. A value, never thrown. */
export interface Refusal<Code extends SchemeCode = VerifyCode | PolicyCode> {
  code: Code;
  message: string;
}

/** A refusal, with the paying address once it is known. */
export interface Refused {
  refusal: Refusal;
  payer?: string;
}

export function refuse<Code extends SchemeCode>(code: Code, message: string): Refusal<Code> {
  return { code, message };
}
