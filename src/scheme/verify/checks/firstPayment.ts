import { baseAddress } from '../../../stellar/addresses.ts';
import { contractBalanceKey } from '../../../stellar/assetContract.ts';
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
  return recipient.startsWith('C') && createdKeys.includes(contractBalanceKey(asset, recipient));
}
