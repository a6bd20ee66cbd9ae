import type {
  PaymentEnvelopeCode,
  PolicyCode,
  Refusal as RefusalWith,
  SettleCode,
  VerifyCode,
} from '../contract/index.ts';

/** The codes of the scheme, those of the operator's policy, and those of what the operator must provide. */
export type SchemeCode = VerifyCode | SettleCode | PolicyCode | OperatorCode;
/** Says that the operator lacks lumens for fees, or a database that answers. */
export type OperatorCode = Extract<
  PaymentEnvelopeCode,
  'svc_fee_budget_exhausted' | 'svc_fee_account_low' | 'svc_database_unavailable'
>;

/** Says why a payment is refused. */
export type Refusal<Code extends SchemeCode = VerifyCode | PolicyCode> = RefusalWith<Code>;

/** A refusal, with the paying address once it is known. */
export interface Refused {
  refusal: Refusal;
  payer?: string;
}

export function refuse<Code extends SchemeCode>(code: Code, message: string): Refusal<Code> {
  return { code, message };
}
