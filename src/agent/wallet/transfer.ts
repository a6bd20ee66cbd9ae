/** Builds the XDR of a payment: the call, its authorization, and the transaction that carries both to a facilitator. */
import { createHash } from 'node:crypto';
import { Address, nativeToScVal, xdr } from '@stellar/stellar-sdk';
import { scAddressOf } from '../../stellar/addresses.ts';
import { invokeTransaction } from '../../stellar/invocation.ts';
import { networkIdOf } from '../../stellar/networks.ts';
import { envelopeOf, withResources } from '../../stellar/transactionBytes.ts';
import type { Terms } from './terms.ts';

/** The public clients of the scheme use the same fee and time bound. The facilitator replaces both. */
const INCLUSION_FEE_STROOPS = 100n;
const TIME_BOUND_SECONDS = 300;
const MAX_FEE_STROOPS = 0xffff_ffffn;

/** Returns `transfer(from, to, amount)` on the asset's contract, and nothing else. */
export function transferCall(from: string, { asset, payTo, amount }: Terms): xdr.InvokeContractArgs {
  return new xdr.InvokeContractArgs({
    contractAddress: new Address(asset).toScAddress(),
    functionName: 'transfer',
    args: [
      new Address(from).toScVal(),
      xdr.ScVal.scvAddress(scAddressOf(payTo)),
      nativeToScVal(amount, { type: 'i128' }),
    ],
  });
}

/** Returns what may be signed for that call: only the call itself, without further calls. */
export function rootInvocation(call: xdr.InvokeContractArgs): xdr.SorobanAuthorizedInvocation {
  return new xdr.SorobanAuthorizedInvocation({
    function: xdr.SorobanAuthorizedFunction.sorobanAuthorizedFunctionTypeContractFn(call),
    subInvocations: [],
  });
}

/** The credentials that can pay. With V2, the signature also covers the address (CAP-71). */
export type CredentialsType = 'sorobanCredentialsAddress' | 'sorobanCredentialsAddressV2';

export interface AuthorizationTerms {
  call: xdr.InvokeContractArgs;
  from: string;
  credentials: CredentialsType;
  nonce: bigint;
  /** The last ledger in which it is valid. */
  validUntilLedger: number;
}

/** Builds an authorization entry. Without a signature, it is still to be signed. */
export function authorizationEntry(
  { call, from, credentials, nonce, validUntilLedger }: AuthorizationTerms,
  signature: xdr.ScVal = xdr.ScVal.scvVoid(),
): xdr.SorobanAuthorizationEntry {
  const address = new Address(from).toScAddress();
  const signed = new xdr.SorobanAddressCredentials({
    address,
    nonce,
    signatureExpirationLedger: validUntilLedger,
    signature,
  });
  return new xdr.SorobanAuthorizationEntry({
    credentials: xdr.SorobanCredentials[credentials](signed),
    rootInvocation: rootInvocation(call),
  });
}

/** Returns the hash to sign for an authorization on the passphrase's network. */
export function authorizationHash(
  { call, from, credentials, nonce, validUntilLedger }: AuthorizationTerms,
  passphrase: string,
): Uint8Array {
  const body = {
    networkId: networkIdOf(passphrase),
    nonce,
    signatureExpirationLedger: validUntilLedger,
    invocation: rootInvocation(call),
  };
  const preimage =
    credentials === 'sorobanCredentialsAddress'
      ? xdr.HashIdPreimage.envelopeTypeSorobanAuthorization(new xdr.HashIdPreimageSorobanAuthorization(body))
      : xdr.HashIdPreimage.envelopeTypeSorobanAuthorizationWithAddress(
          new xdr.HashIdPreimageSorobanAuthorizationWithAddress({
            ...body,
            address: new Address(from).toScAddress(),
          }),
        );
  return sha256(preimage.toXdr());
}

/** The resources that a transaction needs, according to its simulation. */
export interface Resources {
  /** Base64 XDR of SorobanTransactionData. */
  data: string;
  feeStroops: bigint;
}

/** Builds an unsigned transaction that makes the call, as a base64 envelope. Simulate it if it has no resources. */
export function transferTransaction(
  call: xdr.InvokeContractArgs,
  auth: readonly xdr.SorobanAuthorizationEntry[],
  resources?: { needed: Resources; nowSeconds: number },
): string {
  const hostFunction = xdr.HostFunction.hostFunctionTypeInvokeContract(call);
  const feeStroops = INCLUSION_FEE_STROOPS + (resources?.needed.feeStroops ?? 0n);
  const tx = invokeTransaction({
    hostFunction,
    auth,
    fee: Number(feeStroops < MAX_FEE_STROOPS ? feeStroops : MAX_FEE_STROOPS),
    seqNum: 1n,
    cond: resources
      ? xdr.Preconditions.precondTime(
          new xdr.TimeBounds({ minTime: 0n, maxTime: BigInt(resources.nowSeconds + TIME_BOUND_SECONDS) }),
        )
      : xdr.Preconditions.precondNone(),
  });
  const bytes = resources ? withResources(tx, resources.needed.data) : tx.toXdr();
  return envelopeOf('transaction', bytes, []).toString('base64');
}

/** Returns the key (base64 XDR) of the ledger entry that exists once an authorization with this nonce was spent. */
export function nonceKey(address: string, nonce: bigint): string {
  return xdr.LedgerKey.contractData(
    new xdr.LedgerKeyContractData({
      contract: new Address(address).toScAddress(),
      key: xdr.ScVal.scvLedgerKeyNonce(new xdr.ScNonceKey({ nonce })),
      durability: xdr.ContractDataDurability.temporary,
    }),
  ).toXdr('base64');
}

/** Returns the authorization entries of a transaction (base64 XDR), also inside a fee bump. Empty if there are none. */
export function authorizationsIn(envelopeXdr: unknown): readonly xdr.SorobanAuthorizationEntry[] {
  let envelope: xdr.TransactionEnvelope;
  try {
    envelope = xdr.TransactionEnvelope.fromXdr(String(envelopeXdr), 'base64');
  } catch {
    return [];
  }
  return operationsOf(envelope).flatMap(({ body }) =>
    body.type === 'invokeHostFunction' ? body.invokeHostFunctionOp.auth : [],
  );
}

function operationsOf(envelope: xdr.TransactionEnvelope): readonly xdr.Operation[] {
  if (envelope.type === 'envelopeTypeTx') return envelope.v1.tx.operations;
  if (envelope.type === 'envelopeTypeTxFeeBump') return envelope.feeBump.tx.innerTx.v1.tx.operations;
  return [];
}

function sha256(bytes: Uint8Array): Uint8Array {
  return createHash('sha256').update(bytes).digest();
}
