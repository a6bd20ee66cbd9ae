import type { PolicyCode, Refusal } from '../../contract/index.ts';
import type { PaymentFacts } from '../../scheme/index.ts';

/** The rules of the operator's policy file. */
export interface PolicyRules {
  readonly assets?: AddressList | undefined;
  readonly recipients?: AddressList | undefined;
  readonly payers?: AddressList | undefined;
  /** By asset. */
  readonly amounts: ReadonlyMap<string, AmountRule>;
  /** An amount that is priced must be worth this many times the highest fee of a settlement. */
  readonly leastTimesFee?: number | undefined;
  readonly check?: CheckSettings | undefined;
}

/** The only addresses that are served, or those that are not. They are accounts and contracts, never muxed. */
export interface AddressList {
  readonly kind: 'allow' | 'deny';
  readonly addresses: ReadonlySet<string>;
}

/** Amounts are base units. */
export interface AmountRule {
  readonly least?: bigint | undefined;
  readonly greatest?: bigint | undefined;
  /** The value of one base unit. */
  readonly stroopsPerBaseUnit?: Decimal | undefined;
}

/** The exact number `digits / 10 ** places`. */
export interface Decimal {
  readonly digits: bigint;
  readonly places: bigint;
}

/** Describes the operator's own check. */
export interface CheckSettings {
  readonly url: string;
  readonly timeoutMs: number;
  readonly ifSilent: 'refuse' | 'accept';
}

/** Returns why a payment is refused; undefined if this rule does not refuse it. */
export type Rule = (payment: PaymentFacts) => Refusal<PolicyCode> | undefined;
