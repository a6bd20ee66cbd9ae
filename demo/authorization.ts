/** What a buyer signed: the authorization entry inside a payment payload. */
import { Address, inspectAuthEntry, scValToNative, xdr } from '@stellar/stellar-sdk';
import type { PaymentPayload } from '@x402/fetch';

export interface Authorization {
  contract: string;
  functionName: string;
  from: string;
  to: string;
  /** Base units. */
  amount: bigint;
  signedBy: string;
  expirationLedger: number;
  /** Raw ed25519 signature. */
  signature: Uint8Array;
}

/** Reads the one entry of a payload. Throws where the payload is none that a stock client makes. */
export function readAuthorization(payload: PaymentPayload): Authorization {
  const envelope = xdr.TransactionEnvelope.fromXdr(transactionOf(payload), 'base64');
  if (envelope.type !== 'envelopeTypeTx') throw new Error(`not a transaction: ${envelope.type}`);
  const body = envelope.v1.tx.operations[0]?.body;
  const entry = body?.type === 'invokeHostFunction' ? body.invokeHostFunctionOp.auth[0] : undefined;
  const called = entry?.rootInvocation.function;
  if (!entry || called?.type !== 'sorobanAuthorizedFunctionTypeContractFn')
    throw new Error('the transaction has no authorization entry for a contract call');
  const { contractAddress, functionName, args } = called.contractFn;
  const [from, to, amount] = args.map((arg) => scValToNative(arg) as unknown) as [string, string, bigint];
  const { address, signatureExpirationLedger, signers } = inspectAuthEntry(entry);
  const signature = signers[0]?.signatures?.[0]?.signature;
  if (address === null || signatureExpirationLedger === null || !signature)
    throw new Error('the authorization entry is not signed');
  return {
    contract: Address.fromScAddress(contractAddress).toString(),
    functionName: functionName.toString(),
    from,
    to,
    amount,
    signedBy: address,
    expirationLedger: signatureExpirationLedger,
    signature,
  };
}

/** The same payment with one bit of the buyer's signature turned around. */
export function forgeSignature(payload: PaymentPayload): PaymentPayload {
  const bytes = Buffer.from(transactionOf(payload), 'base64');
  const at = bytes.indexOf(readAuthorization(payload).signature);
  bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
  return { ...payload, payload: { transaction: bytes.toString('base64') } };
}

function transactionOf({ payload }: PaymentPayload): string {
  return (payload as { transaction: string }).transaction;
}
