import { xdr } from '@stellar/stellar-sdk';
import { baseAddress, scAddressOf } from '../../../stellar/addresses.ts';
import type { Payment } from '../../payment.ts';
import type { Simulation } from './simulation.ts';

/**
 * True if the payment creates the entry in which the asset keeps a contract's balance. Rent for the entry is paid
 * months ahead, so the first payment to a contract costs several times as much as the next ones.
 */
export function isFirstToContract(
  { createdKeys }: Pick<Simulation, 'createdKeys'>,
  { payTo, asset }: Pick<Payment, 'payTo' | 'asset'>,
): boolean {
  const recipient = baseAddress(payTo);
  return recipient.startsWith('C') && createdKeys.includes(balanceKey(asset, recipient));
}

/** Returns base64 XDR of the key under which Stellar's asset contracts keep the balance. */
function balanceKey(asset: string, contract: string): string {
  return xdr.LedgerKey.contractData(
    new xdr.LedgerKeyContractData({
      contract: scAddressOf(asset),
      key: xdr.ScVal.scvVec([xdr.ScVal.scvSymbol('Balance'), xdr.ScVal.scvAddress(scAddressOf(contract))]),
      durability: xdr.ContractDataDurability.persistent,
    }),
  ).toXdr('base64');
}
