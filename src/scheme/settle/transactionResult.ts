import { xdr } from '@stellar/stellar-sdk';

/** The parts of a transaction's result that are used here. Nothing else of it is read. */
export interface TransactionResult {
  feeChargedStroops: number;
  /** As the SDK spells it, such as txBadSeq. If the transaction inside a fee bump failed, this is its code. */
  code: string;
  /** True if the code is that of the transaction inside a fee bump. */
  isInner: boolean;
}

/** Offsets in TransactionResult: a fee, then a code. A failed fee bump continues with a hash, a fee and a code. */
const CODE_AT = 8;
const INNER_CODE_AT = 52;

/** Reads a result as the RPC sends it, base64 XDR. Undefined if it is missing or too short. */
export function readResult(base64: unknown): TransactionResult | undefined {
  const bytes = Buffer.from(typeof base64 === 'string' ? base64 : '', 'base64');
  if (bytes.length < CODE_AT + 4) return undefined;
  const outerCode = bytes.readInt32BE(CODE_AT);
  const isInner = outerCode === xdr.TransactionResultCode.txFeeBumpInnerFailed.value;
  if (isInner && bytes.length < INNER_CODE_AT + 4) return undefined;
  return {
    feeChargedStroops: Number(bytes.readBigInt64BE(0)),
    code: nameOf(isInner ? bytes.readInt32BE(INNER_CODE_AT) : outerCode),
    isInner,
  };
}

/** Returns the name of a code. A code that the SDK does not know keeps its number. */
function nameOf(code: number): string {
  try {
    return xdr.TransactionResultCode.fromValue(code).name;
  } catch {
    return `result code ${code}`;
  }
}
