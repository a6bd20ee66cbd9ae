import type { SettleCode, VerifyCode } from '../contract/index.ts';

/** Why a payment is refused: a code of the contract and a sentence for people. A value, never thrown. */
export interface Refusal<Code extends VerifyCode | SettleCode = VerifyCode> {
  code: Code;
  message: string;
}

/** A refusal, with the paying address once it is known. */
export interface Refused {
  refusal: Refusal;
  payer?: string;
}

export function refuse<Code extends VerifyCode | SettleCode>(code: Code, message: string): Refusal<Code> {
  return { code, message };
}
