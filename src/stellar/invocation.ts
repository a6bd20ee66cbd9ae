import { xdr } from '@stellar/stellar-sdk';

interface Invocation {
  hostFunction: xdr.HostFunction;
  auth?: readonly xdr.SorobanAuthorizationEntry[];
  /** Nobody's account unless given: enough for a simulation, and for a transaction that somebody else rebuilds. */
  sourceAccount?: xdr.MuxedAccount;
  fee?: number;
  seqNum?: bigint;
  cond?: xdr.Preconditions;
}

/** Builds a transaction that invokes one host function, without resources and signatures. */
export function invokeTransaction({ hostFunction, auth = [], ...fields }: Invocation): xdr.Transaction {
  const operation = new xdr.InvokeHostFunctionOp({ hostFunction, auth: [...auth] });
  return new xdr.Transaction({
    sourceAccount: xdr.MuxedAccount.keyTypeEd25519(new Uint8Array(32)),
    fee: 0,
    seqNum: 0n,
    cond: xdr.Preconditions.precondNone(),
    memo: xdr.Memo.memoNone(),
    operations: [
      new xdr.Operation({ sourceAccount: null, body: xdr.OperationBody.invokeHostFunction(operation) }),
    ],
    ext: xdr.TransactionExt.v0(),
    ...fields,
  });
}
