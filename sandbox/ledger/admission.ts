/** Decides whether a transaction may wait for a ledger: the network's checks, in its order, with its result codes. */
import { xdr } from '@stellar/stellar-sdk';
import type { Host } from '../host/host.ts';
import { BASE_FEE_STROOPS, TRANSACTION_LIMITS } from '../protocol.ts';
import { isClassic, keyOf } from './keys.ts';
import { isSignedBy, signerWeight, THRESHOLD, thresholdOf } from './signatures.ts';
import { findAccount, minBalance, type LedgerState } from './state.ts';
import { paidOperations, resourceFeeOf, type Transaction } from './transaction.ts';
import { rawAccountId, sameBytes } from './values.ts';

/** The network's present state: the time, the next ledger, and the fee that it asks for. */
export interface Moment {
  nowSeconds: number;
  nextLedger: number;
  /** Inclusion fee per operation, in stroops. */
  baseInclusionFee: number;
}

type Code = Exclude<xdr.InnerTransactionResultResult['type'], 'txSuccess' | 'txFailed'>;

/** Says why a transaction is refused. `ofInner`: the fee bump is fine, but the transaction in it is not. */
export type Refusal =
  | { code: Code; ofInner: boolean }
  | { code: 'txFailed'; operation: 'opNoAccount' | 'opBadAuth'; ofInner: boolean };

export function refusalOf(
  transaction: Transaction,
  state: LedgerState,
  host: Host,
  moment: Moment,
): Refusal | undefined {
  const leastFee = host.leastResourceFee(transaction.envelope);
  // The envelope has XDR that is newer than the protocol.
  if (leastFee === undefined) return { code: 'txMalformed', ofInner: false };
  const code = feeBumpRefusal(transaction, state, moment);
  if (code) return { code, ofInner: false };
  const refusal =
    formRefusal(transaction) ??
    timeRefusal(transaction.inner.cond, moment) ??
    sorobanRefusal(transaction, leastFee) ??
    feeRefusal(transaction, moment) ??
    sourceRefusal(transaction, state);
  if (!refusal) return undefined;
  const ofInner = transaction.feeBump !== undefined;
  return typeof refusal === 'string' ? { code: refusal, ofInner } : { code: 'txFailed', ...refusal, ofInner };
}

/** Returns the bid for inclusion: the fee without the resource fee. */
function inclusionBid(transaction: Transaction): bigint {
  return transaction.fee - resourceFeeOf(transaction);
}

function feeBumpRefusal(transaction: Transaction, state: LedgerState, moment: Moment): Code | undefined {
  const { feeBump, inner, fee } = transaction;
  if (!feeBump) return undefined;
  const payer = findAccount(state, feeBump.feeSource);
  if (!payer) return 'txNoAccount';
  const bid = inclusionBid(transaction);
  const innerBid = BigInt(inner.fee) - resourceFeeOf(transaction);
  const operations = BigInt(inner.operations.length);
  const paysLessPerOperation = bid * operations < innerBid * (operations + 1n);
  if (bid < minInclusionFee(transaction, moment) || paysLessPerOperation) return 'txInsufficientFee';
  const signers = createSignatureCheck(feeBump.hash, feeBump.signatures);
  if (!signers.isSigned(payer, 'low')) return 'txBadAuth';
  if (!signers.allUsed()) return 'txBadAuthExtra';
  return spendable(payer) < fee ? 'txInsufficientBalance' : undefined;
}

function minInclusionFee(transaction: Transaction, { baseInclusionFee }: Moment): bigint {
  return BigInt(Math.max(baseInclusionFee, BASE_FEE_STROOPS) * paidOperations(transaction));
}

function formRefusal({ inner, invocation, creations, sorobanData }: Transaction): Code | undefined {
  if (inner.operations.length === 0) return 'txMissingOperation';
  if (!invocation && !creations) return 'txNotSupported';
  return (invocation !== undefined) === (sorobanData !== undefined) ? undefined : 'txMalformed';
}

function timeRefusal(cond: xdr.Preconditions, { nowSeconds, nextLedger }: Moment): Code | undefined {
  const time =
    cond.type === 'precondTime' ? cond.timeBounds : cond.type === 'precondV2' ? cond.v2.timeBounds : null;
  const ledgers = cond.type === 'precondV2' ? cond.v2.ledgerBounds : null;
  const now = BigInt(nowSeconds);
  if (time && time.minTime > now) return 'txTooEarly';
  if (time && time.maxTime !== 0n && time.maxTime < now) return 'txTooLate';
  if (ledgers && ledgers.minLedger > nextLedger) return 'txTooEarly';
  if (ledgers && ledgers.maxLedger !== 0 && ledgers.maxLedger <= nextLedger) return 'txTooLate';
  return undefined;
}

function sorobanRefusal({ inner, sorobanData, envelope }: Transaction, leastFee: bigint): Code | undefined {
  if (!sorobanData) return undefined;
  const { resources, resourceFee } = sorobanData;
  const { readOnly, readWrite } = resources.footprint;
  const keys = [...readOnly, ...readWrite];
  const classic = keys.filter(isClassic);
  const limits = TRANSACTION_LIMITS;
  const isTooLarge =
    envelope.length > limits.sizeBytes ||
    resources.instructions > limits.instructions ||
    resources.writeBytes > limits.writeBytes ||
    resources.diskReadBytes > limits.diskReadBytes ||
    keys.length > limits.footprintEntries ||
    readWrite.length > limits.writeEntries ||
    classic.length > limits.diskReadEntries;
  const isUnusable =
    new Set(keys.map(keyOf)).size < keys.length ||
    classic.some(({ type }) => type !== 'account' && type !== 'trustline');
  const isUnderpaid = resourceFee < leastFee || resourceFee > BigInt(inner.fee);
  return isTooLarge || isUnusable || isUnderpaid ? 'txSorobanInvalid' : undefined;
}

function feeRefusal(transaction: Transaction, moment: Moment): Code | undefined {
  if (transaction.feeBump) return undefined;
  return inclusionBid(transaction) < minInclusionFee(transaction, moment) ? 'txInsufficientFee' : undefined;
}

function sourceRefusal(
  transaction: Transaction,
  state: LedgerState,
): Code | { operation: 'opNoAccount' | 'opBadAuth' } | undefined {
  const { inner, innerHash, signatures, source, operationSource, feeBump, fee } = transaction;
  const account = findAccount(state, source);
  if (!account) return 'txNoAccount';
  if (!followsSequence(account.seqNum, inner)) return 'txBadSeq';
  const signers = createSignatureCheck(innerHash, signatures);
  if (!signers.isSigned(account, 'low')) return 'txBadAuth';
  const operator = findAccount(state, operationSource);
  if (!operator) return { operation: 'opNoAccount' };
  if (!signers.isSigned(operator, 'medium')) return { operation: 'opBadAuth' };
  if (!signers.allUsed()) return 'txBadAuthExtra';
  return !feeBump && spendable(account) < fee ? 'txInsufficientBalance' : undefined;
}

function followsSequence(current: bigint, { seqNum, cond }: xdr.Transaction): boolean {
  const least = cond.type === 'precondV2' ? cond.v2.minSeqNum : null;
  return least === null ? seqNum === current + 1n : current >= least && current < seqNum;
}

function spendable(account: xdr.AccountEntry): bigint {
  return account.balance - minBalance(account);
}

interface SignatureCheck {
  isSigned(account: xdr.AccountEntry, level: keyof typeof THRESHOLD): boolean;
  /** True when every signature was needed by some account. */
  allUsed(): boolean;
}

function createSignatureCheck(hash: Buffer, signatures: readonly xdr.DecoratedSignature[]): SignatureCheck {
  const used = new Set<xdr.DecoratedSignature>();
  const weightOf = (account: xdr.AccountEntry, key: Uint8Array): number => {
    const weight = signerWeight(account, key);
    if (weight === 0) return 0;
    const found = signatures.find(
      ({ hint, signature }) => sameBytes(hint.value, key.slice(-4)) && isSignedBy(key, hash, signature.value),
    );
    if (!found) return 0;
    used.add(found);
    return weight;
  };
  return {
    isSigned(account, level) {
      const others = account.signers.flatMap(({ key }) =>
        key.type === 'signerKeyTypeEd25519' ? [key.ed25519.value] : [],
      );
      const weights = [rawAccountId(account.accountId), ...others].map((key) => weightOf(account, key));
      const weight = weights.reduce((sum, next) => sum + next, 0);
      return weight >= Math.max(1, thresholdOf(account, level));
    },
    allUsed: () => used.size === signatures.length,
  };
}
