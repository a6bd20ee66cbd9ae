/** Reads from contracts, by simulations that change nothing. */
import { scValToNative, xdr } from '@stellar/stellar-sdk';
import { scAddressOf } from '../stellar/addresses.ts';
import { meaningOf } from '../stellar/hostError.ts';
import { invokeTransaction } from '../stellar/invocation.ts';
import type { Rpc } from '../stellar/rpc/pool.ts';
import { envelopeOf } from '../stellar/transactionBytes.ts';

/** What a function of a contract returned, or why it returned nothing. */
export type Viewed = { readonly value: unknown } | { readonly problem: string };

/** Calls a function without arguments. Throws an RpcFault. */
export async function view(rpc: Rpc, contract: string, name: string): Promise<Viewed> {
  const call = new xdr.InvokeContractArgs({
    contractAddress: scAddressOf(contract),
    functionName: name,
    args: [],
  });
  const hostFunction = xdr.HostFunction.hostFunctionTypeInvokeContract(call);
  const transaction = envelopeOf('transaction', invokeTransaction({ hostFunction }).toXdr(), []);
  const answer = await rpc.call('simulateTransaction', { transaction: transaction.toString('base64') });
  if (answer.error !== undefined)
    return { problem: meaningOf(String(answer.error)) ?? 'the network gave a reason of its own' };
  try {
    return { value: scValToNative(xdr.ScVal.fromXdr(String(answer.results?.[0]?.xdr), 'base64')) as unknown };
  } catch {
    return { problem: 'its answer cannot be read' };
  }
}
