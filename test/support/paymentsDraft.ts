import {
  Account,
  Address,
  Asset,
  Contract,
  MuxedAccount,
  Operation,
  TransactionBuilder,
  buildAuthorizationEntryPreimage,
  hash,
  nativeToScVal,
  xdr,
  type Keypair,
} from '@stellar/stellar-sdk';
import { PASSPHRASE } from './playedNetwork.ts';

/** What stock clients put in as source, since any source will do: the account of the all-zero key. */
export const ZERO_ACCOUNT = 'GAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAWHF';

export type CredentialsType = 'address' | 'addressV2' | 'addressWithDelegates' | 'sourceAccount';

/** One authorization entry, open to change. Source-account credentials have none of the fields but the invocation. */
export interface DraftEntry {
  credentials: CredentialsType;
  address: xdr.ScAddress;
  nonce: bigint;
  expiration: number;
  signature: xdr.ScVal;
  invocation: xdr.SorobanAuthorizedInvocation;
}

/** A payment transaction taken apart: every field may be changed before it is put together again. */
export interface Draft {
  source: xdr.MuxedAccount;
  fee: number;
  sequence: bigint;
  preconditions: xdr.Preconditions;
  memo: xdr.Memo;
  ext: xdr.TransactionExt;
  operationSource: xdr.MuxedAccount | null;
  contract: xdr.ScAddress;
  functionName: string;
  args: xdr.ScVal[];
  entries: DraftEntry[];
  /** Instead of the call of `functionName` with `args`. */
  hostFunction?: xdr.HostFunction;
  /** Instead of the one invocation. */
  operations?: (invocation: xdr.Operation) => xdr.Operation[];
  /** Instead of the plain v1 envelope. */
  envelope?: (envelope: xdr.TransactionV1Envelope) => xdr.TransactionEnvelope;
}

export interface TransferCall {
  from: string;
  to: string;
  amount: bigint;
  asset: string;
  expiration: number;
  nonce: bigint;
  credentials?: CredentialsType;
}

/** An unsigned transfer with one authorization entry, in the shape of the stock client's. */
export function draftTransfer(call: TransferCall): Draft {
  const { asset, from, to, amount, expiration, nonce, credentials = 'address' } = call;
  const operation = new Contract(asset).call('transfer', address(from), address(to), i128(amount));
  const transaction = new TransactionBuilder(new Account(ZERO_ACCOUNT, '0'), {
    fee: '100',
    networkPassphrase: PASSPHRASE,
  })
    .addOperation(operation)
    .setTimeout(300)
    .build();
  const draft = decodeDraft(transaction.toXDR());
  draft.entries.push({
    credentials,
    address: new Address(from).toScAddress(),
    nonce,
    expiration,
    signature: xdr.ScVal.scvVoid(),
    invocation: invocationOf(draft),
  });
  return draft;
}

/** What an entry must authorize for the draft's call. */
export function invocationOf(
  { contract, functionName, args }: Pick<Draft, 'contract' | 'functionName' | 'args'>,
  subInvocations: xdr.SorobanAuthorizedInvocation[] = [],
): xdr.SorobanAuthorizedInvocation {
  const call = new xdr.InvokeContractArgs({ contractAddress: contract, functionName, args: [...args] });
  return new xdr.SorobanAuthorizedInvocation({
    function: xdr.SorobanAuthorizedFunction.sorobanAuthorizedFunctionTypeContractFn(call),
    subInvocations,
  });
}

/** What the signer of an entry signs: the SHA-256 of its preimage. */
export function payloadOf(entry: DraftEntry): Buffer {
  const preimage = buildAuthorizationEntryPreimage(encodeEntry(entry), entry.expiration, PASSPHRASE);
  return Buffer.from(hash(preimage.toXdr()));
}

/** Signs an entry as it stands: an account in the classic form, a contract account with the bare signature. */
export function sign(entry: DraftEntry, key: Keypair): void {
  const signature = key.sign(payloadOf(entry));
  entry.signature =
    entry.address.type === 'scAddressTypeContract'
      ? xdr.ScVal.scvBytes(signature)
      : accountSignature(key.rawPublicKey(), signature);
}

/** Points every entry at the draft's call, as it now stands, and signs it again. */
export function resign(draft: Draft, key: Keypair): void {
  for (const entry of draft.entries) {
    entry.invocation = invocationOf(draft);
    sign(entry, key);
  }
}

/** An entry of the payer for a call that nobody makes: long expired, with a signature that is none. */
export function junkEntry({ contract, entries }: Draft): DraftEntry {
  return {
    ...entries[0]!,
    nonce: entries[0]!.nonce + 1_000_000n,
    expiration: 1,
    signature: xdr.ScVal.scvBool(true),
    invocation: invocationOf({ contract, functionName: 'approve', args: [] }),
  };
}

export function accountSignature(publicKey: Uint8Array, signature: Uint8Array): xdr.ScVal {
  const symbol = (name: string) => xdr.ScVal.scvSymbol(name);
  return xdr.ScVal.scvVec([
    xdr.ScVal.scvMap([
      new xdr.ScMapEntry({ key: symbol('public_key'), val: xdr.ScVal.scvBytes(publicKey) }),
      new xdr.ScMapEntry({ key: symbol('signature'), val: xdr.ScVal.scvBytes(signature) }),
    ]),
  ]);
}

export function address(text: string): xdr.ScVal {
  return nativeToScVal(text, { type: 'address' });
}

export function i128(amount: bigint): xdr.ScVal {
  return nativeToScVal(amount, { type: 'i128' });
}

/** A transaction source: G… or M…. */
export function sourceOf(text: string): xdr.MuxedAccount {
  const payment = Operation.payment({ destination: text, asset: Asset.native(), amount: '1' });
  if (payment.body.type !== 'payment') throw new Error('the SDK built another operation');
  return payment.body.paymentOp.destination;
}

/** A muxed form (M…) of an account. */
export function muxed(account: string, id: string): string {
  return new MuxedAccount(new Account(account, '0'), id).accountId();
}

/** The data of a transfer to a muxed recipient (CAP-67). */
export function muxedData(amount: xdr.ScVal, id: xdr.ScVal): xdr.ScVal {
  const entry = (key: string, val: xdr.ScVal) => new xdr.ScMapEntry({ key: xdr.ScVal.scvSymbol(key), val });
  return xdr.ScVal.scvMap([entry('amount', amount), entry('to_muxed_id', id)]);
}

/** Takes a v1 envelope of one contract invocation apart. */
export function decodeDraft(base64: string): Draft {
  const envelope = xdr.TransactionEnvelope.fromXdr(base64, 'base64');
  if (envelope.type !== 'envelopeTypeTx') throw new Error(`expected a v1 envelope, got ${envelope.type}`);
  const { tx } = envelope.v1;
  const [operation] = tx.operations;
  if (operation?.body.type !== 'invokeHostFunction') throw new Error('expected a host function');
  const { hostFunction, auth } = operation.body.invokeHostFunctionOp;
  if (hostFunction.type !== 'hostFunctionTypeInvokeContract') throw new Error('expected a contract call');
  const { contractAddress, functionName, args } = hostFunction.invokeContract;
  return {
    source: tx.sourceAccount,
    fee: tx.fee,
    sequence: tx.seqNum,
    preconditions: tx.cond,
    memo: tx.memo,
    ext: tx.ext,
    operationSource: operation.sourceAccount,
    contract: contractAddress,
    functionName: functionName.toString(),
    args: [...args],
    entries: auth.map(decodeEntry),
  };
}

/** Base64 XDR of the draft. */
export function encodeDraft(draft: Draft): string {
  const { source, fee, sequence, preconditions, memo, ext, operationSource, entries } = draft;
  const call = new xdr.InvokeContractArgs({
    contractAddress: draft.contract,
    functionName: draft.functionName,
    args: draft.args,
  });
  const invocation = new xdr.Operation({
    sourceAccount: operationSource,
    body: xdr.OperationBody.invokeHostFunction(
      new xdr.InvokeHostFunctionOp({
        hostFunction: draft.hostFunction ?? xdr.HostFunction.hostFunctionTypeInvokeContract(call),
        auth: entries.map(encodeEntry),
      }),
    ),
  });
  const tx = new xdr.Transaction({
    sourceAccount: source,
    fee,
    seqNum: sequence,
    cond: preconditions,
    memo,
    operations: draft.operations?.(invocation) ?? [invocation],
    ext,
  });
  const v1 = new xdr.TransactionV1Envelope({ tx, signatures: [] });
  const envelope = draft.envelope?.(v1) ?? xdr.TransactionEnvelope.envelopeTypeTx(v1);
  return envelope.toXdr('base64');
}

/** Takes a payment apart, lets `edit` change it, and puts it together again; signs nothing by itself. */
export function tamper(base64: string, edit: (draft: Draft) => void): string {
  const draft = decodeDraft(base64);
  edit(draft);
  return encodeDraft(draft);
}

function decodeEntry({ credentials, rootInvocation }: xdr.SorobanAuthorizationEntry): DraftEntry {
  switch (credentials.type) {
    case 'sorobanCredentialsAddress':
      return draftEntry('address', credentials.address, rootInvocation);
    case 'sorobanCredentialsAddressV2':
      return draftEntry('addressV2', credentials.addressV2, rootInvocation);
    default:
      throw new Error(`expected address credentials, got ${credentials.type}`);
  }
}

function draftEntry(
  credentials: CredentialsType,
  fields: xdr.SorobanAddressCredentials,
  invocation: xdr.SorobanAuthorizedInvocation,
): DraftEntry {
  const { nonce, signatureExpirationLedger: expiration, signature } = fields;
  return { credentials, address: fields.address, nonce, expiration, signature, invocation };
}

function encodeEntry(entry: DraftEntry): xdr.SorobanAuthorizationEntry {
  return new xdr.SorobanAuthorizationEntry({
    credentials: encodeCredentials(entry),
    rootInvocation: entry.invocation,
  });
}

function encodeCredentials(entry: DraftEntry): xdr.SorobanCredentials {
  const { nonce, expiration, signature } = entry;
  const fields = new xdr.SorobanAddressCredentials({
    address: entry.address,
    nonce,
    signatureExpirationLedger: expiration,
    signature,
  });
  switch (entry.credentials) {
    case 'address':
      return xdr.SorobanCredentials.sorobanCredentialsAddress(fields);
    case 'addressV2':
      return xdr.SorobanCredentials.sorobanCredentialsAddressV2(fields);
    case 'addressWithDelegates':
      return xdr.SorobanCredentials.sorobanCredentialsAddressWithDelegates(
        new xdr.SorobanAddressCredentialsWithDelegates({ addressCredentials: fields, delegates: [] }),
      );
    case 'sourceAccount':
      return xdr.SorobanCredentials.sorobanCredentialsSourceAccount();
  }
}

/** What puts a transaction into an unsigned fee bump that names `feeSource`. */
export function feeBumpBy(feeSource: Keypair): NonNullable<Draft['envelope']> {
  return (inner) =>
    xdr.TransactionEnvelope.envelopeTypeTxFeeBump(
      new xdr.FeeBumpTransactionEnvelope({
        tx: new xdr.FeeBumpTransaction({
          feeSource: xdr.MuxedAccount.keyTypeEd25519(feeSource.rawPublicKey()),
          fee: 1_000n,
          innerTx: xdr.FeeBumpTransactionInnerTx.envelopeTypeTx(inner),
          ext: xdr.FeeBumpTransactionExt.v0(),
        }),
        signatures: [],
      }),
    );
}
