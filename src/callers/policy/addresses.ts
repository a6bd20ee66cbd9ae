/** Rules about who pays, who is paid, and in what. The texts name the rule and never what its list holds. */
import { baseAddress } from '../../stellar/addresses.ts';
import type { AddressList, Rule } from './rules.ts';

export function assetRule(list: AddressList): Rule {
  const hint = list.kind === 'allow' ? '; GET /supported names those that it serves' : '';
  const message = `The operator of this facilitator does not serve this asset${hint}.`;
  return ({ asset }) => (isServed(list, asset) ? undefined : { code: 'svc_policy_asset', message });
}

export function recipientRule(list: AddressList): Rule {
  return ({ payTo }) =>
    isServed(list, payTo)
      ? undefined
      : {
          code: 'svc_policy_recipient',
          message: 'The operator of this facilitator does not serve this recipient.',
        };
}

export function payerRule(list: AddressList): Rule {
  return ({ payer }) =>
    isServed(list, payer)
      ? undefined
      : { code: 'svc_policy_payer', message: 'The operator of this facilitator does not serve this payer.' };
}

/** A muxed address counts as the account or contract behind it. */
function isServed({ kind, addresses }: AddressList, address: string | undefined): boolean {
  const isListed = address !== undefined && addresses.has(baseAddress(address));
  return isListed === (kind === 'allow');
}
