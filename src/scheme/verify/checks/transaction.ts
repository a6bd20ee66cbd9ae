import type { xdr } from '@stellar/stellar-sdk';
import type { PaymentRequirements, VerifyCode } from '../../../contract/index.ts';
import { addressText, baseAddress, scAddressText, sourceAccountText } from '../../../stellar/addresses.ts';
import type { ClientTransaction } from '../payload.ts';
import type { Payment } from '../../payment.ts';
import { refuse, type Refused } from '../../refusal.ts';
import { baseUnits, int128 } from '../../../stellar/values.ts';

/**
 * Reads the payment from the transaction, and checks its structure: one call of `transfer` on the asset, to `payTo`, of
 * exactly `amount`, in which no facilitator address plays a part. Needs no network.
 */
export function readPayment(
  transaction: ClientTransaction,
  requirements: PaymentRequirements,
  facilitatorAddresses: ReadonlySet<string>,
): Payment | Refused {
  const [operation, ...others] = transaction.body.operations;
  if (operation?.body.type !== 'invokeHostFunction' || others.length > 0) {
    return refused(
      'invalid_exact_stellar_payload_wrong_operation',
      'it must hold exactly one invokeHostFunction operation',
    );
  }
  if (sourcesOf(transaction.body, operation).some((source) => facilitatorAddresses.has(source))) {
    return refused(
      'invalid_exact_stellar_payload_unsafe_tx_or_op_source',
      'its source or its operation source is an address of this facilitator',
    );
  }
  const invocation = invocationIn(transaction.body);
  if (invocation === undefined) {
    return refused('invalid_exact_stellar_payload_wrong_operation', 'its operation must invoke a contract');
  }
  const transfer = readTransfer(invocation.hostFunction.invokeContract, requirements, facilitatorAddresses);
  if ('refusal' in transfer) return transfer;
  const { payTo, asset, maxTimeoutSeconds } = requirements;
  return { transaction: transaction.base64, ...invocation, payTo, asset, maxTimeoutSeconds, ...transfer };
}

/** Returns the contract call in a transaction's first operation, and its authorization. */
export function invocationIn({
  operations: [operation],
}: xdr.Transaction): Pick<Payment, 'hostFunction' | 'authorization'> | undefined {
  if (operation?.body.type !== 'invokeHostFunction') return undefined;
  const { hostFunction, auth: authorization } = operation.body.invokeHostFunctionOp;
  if (hostFunction.type !== 'hostFunctionTypeInvokeContract') return undefined;
  return { hostFunction, authorization };
}

function readTransfer(
  { contractAddress, functionName, args }: xdr.InvokeContractArgs,
  requirements: PaymentRequirements,
  facilitatorAddresses: ReadonlySet<string>,
): Pick<Payment, 'payer' | 'amount'> | Refused {
  if (scAddressText(contractAddress) !== requirements.asset) {
    return refused(
      'invalid_exact_stellar_payload_wrong_asset',
      'it invokes a contract other than paymentRequirements.asset',
    );
  }
  const [from, to, amount] = args;
  if (functionName.toString() !== 'transfer' || args.length !== 3 || !from || !to || !amount) {
    return refused(
      'invalid_exact_stellar_payload_wrong_function_name',
      'its call must be transfer(from, to, amount)',
    );
  }
  const payer = addressText(from);
  if (payer !== undefined && facilitatorAddresses.has(baseAddress(payer))) {
    return refused(
      'invalid_exact_stellar_payload_facilitator_is_payer',
      'an address of this facilitator cannot pay',
    );
  }
  if (addressText(to) !== requirements.payTo) {
    return refused(
      'invalid_exact_stellar_payload_wrong_recipient',
      'its recipient is not paymentRequirements.payTo',
      payer,
    );
  }
  const expected = baseUnits(requirements.amount);
  if (expected === undefined || int128(amount) !== expected) {
    return refused(
      'invalid_exact_stellar_payload_wrong_amount',
      'its amount is not paymentRequirements.amount, a decimal integer in base units, as i128',
      payer,
    );
  }
  return { payer, amount: expected };
}

function sourcesOf(transaction: xdr.Transaction, operation: xdr.Operation): string[] {
  const sources = [transaction.sourceAccount, operation.sourceAccount];
  return sources.flatMap((source) => (source ? [sourceAccountText(source)] : []));
}

function refused(code: VerifyCode, what: string, payer?: string): Refused {
  return {
    refusal: refuse(code, `The transaction is not this payment: ${what}.`),
    ...(payer ? { payer } : {}),
  };
}
