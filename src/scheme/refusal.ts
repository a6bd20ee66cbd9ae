import type {
  PaymentEnvelopeCode,
  PolicyCode,
  Refusal as RefusalWith,
  SettleCode,
  VerifyCode,
} from '../contract/index.ts';

/** The codes of the scheme, those of the operator's policy, and those of what keeps a good payment from being sent here. */
export type SchemeCode = VerifyCode | SettleCode | PolicyCode | OperatorCode;
/** Says what keeps a good payment from being sent here: no lumens for fees, no database, or another payment of its name. */
export type OperatorCode = Extract<
  PaymentEnvelopeCode,
  | 'svc_fee_budget_exhausted'
  | 'svc_fee_account_low'
  | 'svc_database_unavailable'
  | 'svc_payment_identifier_conflict'
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
