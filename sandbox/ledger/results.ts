/** Builds transaction results as XDR: for a refusal, and for an applied transaction. */
import { xdr } from '@stellar/stellar-sdk';
import type { Invocation } from '../host/host.ts';
import type { Refusal } from './admission.ts';
import type { Transaction } from './transaction.ts';

export function refusedResult(
  transaction: Transaction,
  refusal: Refusal,
  feeCharged: bigint,
): xdr.TransactionResult {
  const build = <T>(results: Results<T>): T =>
    refusal.code === 'txFailed'
      ? results.txFailed([xdr.OperationResult[refusal.operation]()])
      : results[refusal.code]();
  if (!refusal.ofInner)
    return resultOf(feeCharged, build<xdr.TransactionResultResult>(xdr.TransactionResultResult));
  const inner = innerPair(
    transaction,
    build<xdr.InnerTransactionResultResult>(xdr.InnerTransactionResultResult),
  );
  return resultOf(feeCharged, xdr.TransactionResultResult.txFeeBumpInnerFailed(inner));
}

/** The results of an applied transaction's operations, and whether it took effect. */
export interface AppliedOperations {
  ok: boolean;
  operations: xdr.OperationResult[];
}

export function invocationResult({ ok, result }: Pick<Invocation, 'ok' | 'result'>): AppliedOperations {
  const decoded = xdr.InvokeHostFunctionResult.fromXdr(result);
  return { ok, operations: [xdr.OperationResult.opInner(xdr.OperationResultTr.invokeHostFunction(decoded))] };
}

export function appliedResult(
  transaction: Transaction,
  { ok, operations }: AppliedOperations,
  feeCharged: bigint,
): xdr.TransactionResult {
  const build = <T>(results: Results<T>): T =>
    ok ? results.txSuccess(operations) : results.txFailed(operations);
  if (!transaction.feeBump)
    return resultOf(feeCharged, build<xdr.TransactionResultResult>(xdr.TransactionResultResult));
  const inner = innerPair(
    transaction,
    build<xdr.InnerTransactionResultResult>(xdr.InnerTransactionResultResult),
  );
  const { txFeeBumpInnerSuccess, txFeeBumpInnerFailed } = xdr.TransactionResultResult;
  return resultOf(feeCharged, ok ? txFeeBumpInnerSuccess(inner) : txFeeBumpInnerFailed(inner));
}

/** The codes that a transaction and one within a fee bump share. */
type Results<T> = Record<Exclude<Refusal['code'], 'txFailed'>, () => T> &
  Record<'txSuccess' | 'txFailed', (operations: xdr.OperationResult[]) => T>;

function resultOf(feeCharged: bigint, result: xdr.TransactionResultResult): xdr.TransactionResult {
  return new xdr.TransactionResult({ feeCharged, result, ext: xdr.TransactionResultExt.v0() });
}

function innerPair(
  { innerHash }: Transaction,
  result: xdr.InnerTransactionResultResult,
): xdr.InnerTransactionResultPair {
  return new xdr.InnerTransactionResultPair({
    transactionHash: innerHash,
    result: new xdr.InnerTransactionResult({
      feeCharged: 0n,
      result,
      ext: xdr.InnerTransactionResultExt.v0(),
    }),
  });
}
