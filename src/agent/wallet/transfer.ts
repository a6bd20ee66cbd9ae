/** The XDR of a payment: the call that pays, the authorization of it, and the transaction that carries both to a facilitator. */
import { createHash } from 'node:crypto';
import { Address, nativeToScVal, xdr } from '@stellar/stellar-sdk';
import { scAddressOf, scAddressText } from '../../stellar/addresses.ts';
import { envelopeOf, withResources } from '../../stellar/transactionBytes.ts';
import type { Terms } from './terms.ts';

/** Source of transactions that nobody signs: the facilitator puts its own in its place. */
const NO_ACCOUNT = xdr.MuxedAccount.keyTypeEd25519(new Uint8Array(32));
/** As the public clients of the scheme do; the facilitator replaces both. */
const INCLUSION_FEE_STROOPS = 100n;
const TIME_BOUND_SECONDS = 300;
const MAX_FEE_STROOPS = 0xffff_ffffn;

/** `transfer(from, to, amount)` on the asset's contract, and nothing else. */
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

/** What may be signed for that call: it alone, without further calls in its name. */
export function rootInvocation(call: xdr.InvokeContractArgs): xdr.SorobanAuthorizedInvocation {
  return new xdr.SorobanAuthorizedInvocation({
    function: xdr.SorobanAuthorizedFunction.sorobanAuthorizedFunctionTypeContractFn(call),
    subInvocations: [],
  });
}

/** The credentials that can pay. V2 binds the address into what is signed (CAP-71). */
export type CredentialsType = 'sorobanCredentialsAddress' | 'sorobanCredentialsAddressV2';

export interface AuthorizationTerms {
  call: xdr.InvokeContractArgs;
  from: string;
  credentials: CredentialsType;
  nonce: bigint;
  /** The last ledger in which it holds. */
  validUntilLedger: number;
}

/** An authorization entry; without a signature, one that is still to be signed. */
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

/** The hash that is signed for an authorization on the network of that passphrase. */
export function authorizationHash(
  { call, from, credentials, nonce, validUntilLedger }: AuthorizationTerms,
  passphrase: string,
): Uint8Array {
  const body = {
    networkId: sha256(Buffer.from(passphrase)),
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

/** What a simulation says that a transaction needs. */
export interface Resources {
  /** Base64 XDR of SorobanTransactionData. */
  data: string;
  feeStroops: bigint;
}

/** An unsigned transaction that makes the call, as base64 of its envelope. Without resources it is one to simulate. */
export function transferTransaction(
  call: xdr.InvokeContractArgs,
  auth: readonly xdr.SorobanAuthorizationEntry[],
  resources?: { needed: Resources; nowSeconds: number },
): string {
  const hostFunction = xdr.HostFunction.hostFunctionTypeInvokeContract(call);
  const operation = new xdr.InvokeHostFunctionOp({ hostFunction, auth: [...auth] });
  const feeStroops = INCLUSION_FEE_STROOPS + (resources?.needed.feeStroops ?? 0n);
  const tx = new xdr.Transaction({
    sourceAccount: NO_ACCOUNT,
    fee: Number(feeStroops < MAX_FEE_STROOPS ? feeStroops : MAX_FEE_STROOPS),
    seqNum: 1n,
    cond: resources
      ? xdr.Preconditions.precondTime(
          new xdr.TimeBounds({ minTime: 0n, maxTime: BigInt(resources.nowSeconds + TIME_BOUND_SECONDS) }),
        )
      : xdr.Preconditions.precondNone(),
    memo: xdr.Memo.memoNone(),
    operations: [
      new xdr.Operation({ sourceAccount: null, body: xdr.OperationBody.invokeHostFunction(operation) }),
    ],
    ext: xdr.TransactionExt.v0(),
  });
  const bytes = resources ? withResources(tx, resources.needed.data) : tx.toXdr();
  return envelopeOf('transaction', bytes, []).toString('base64');
}

/** The entry of the ledger that is there once an authorization of this address and nonce was spent. Base64 XDR. */
export function nonceKey(address: string, nonce: bigint): string {
  return xdr.LedgerKey.contractData(
    new xdr.LedgerKeyContractData({
      contract: new Address(address).toScAddress(),
      key: xdr.ScVal.scvLedgerKeyNonce(new xdr.ScNonceKey({ nonce })),
      durability: xdr.ContractDataDurability.temporary,
    }),
  ).toXdr('base64');
}

/** The authorization entries of a transaction (base64 XDR), also of one within a fee bump; none where there are none. */
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

/** The address and the nonce that an entry's credentials name; undefined for those that name none. */
export function credentialsOf({
  credentials,
}: xdr.SorobanAuthorizationEntry): { address: string | undefined; nonce: bigint } | undefined {
  if (credentials.type === 'sorobanCredentialsAddress') return named(credentials.address);
  if (credentials.type === 'sorobanCredentialsAddressV2') return named(credentials.addressV2);
  return undefined;
}

function named({ address, nonce }: xdr.SorobanAddressCredentials): {
  address: string | undefined;
  nonce: bigint;
} {
  return { address: scAddressText(address), nonce };
}

function sha256(bytes: Uint8Array): Uint8Array {
  return createHash('sha256').update(bytes).digest();
}
