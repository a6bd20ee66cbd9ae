/** Rules about amounts, by asset. */
import type { AmountRule, Rule } from './rules.ts';

type Amounts = ReadonlyMap<string, AmountRule>;

export function boundsRule(amounts: Amounts): Rule {
  return ({ asset, amount }) => {
    const { least, greatest } = amounts.get(asset) ?? {};
    if (least !== undefined && amount < least)
      return {
        code: 'svc_policy_amount_too_small',
        message: `The least amount that the operator of this facilitator serves for this asset is ${least}.`,
      };
    if (greatest !== undefined && amount > greatest)
      return {
        code: 'svc_policy_amount_too_large',
        message: `The greatest amount that the operator of this facilitator serves for this asset is ${greatest}.`,
      };
    return undefined;
  };
}

/** Refuses an amount that is worth less than `times` the highest fee of a settlement. Unpriced assets pass. */
export function worthRule(amounts: Amounts, times: number, ceilingStroops: number): Rule {
  const leastStroops = BigInt(times) * BigInt(ceilingStroops);
  return ({ asset, amount }) => {
    const price = amounts.get(asset)?.stroopsPerBaseUnit;
    if (price === undefined || amount * price.digits >= leastStroops * 10n ** price.places) return undefined;
    return {
      code: 'svc_policy_amount_below_fee',
      message: `The operator of this facilitator serves only amounts that are worth at least ${times} times the highest network fee of a settlement.`,
    };
  };
}
