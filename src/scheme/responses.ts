import type { VerifyResponse } from '../contract/index.ts';
import type { Refusal, SchemeCode } from './refusal.ts';
import type { SettleResult } from './scheme.ts';
import type { NamingRefusal } from './settledBefore.ts';
import type { Answer } from './settle/answer.ts';

const known = (payer: string | undefined) => (payer === undefined ? {} : { payer });
const named = (hash: string | undefined) => (hash === undefined ? {} : { extra: { transaction: hash } });

export function valid(payer: string | undefined): VerifyResponse {
  return { isValid: true, ...known(payer) };
}

/** `extra` holds the hash of the transaction that has settled the payment before, if there is one. */
export function invalid(
  { code, message }: Refusal,
  payer: string | undefined,
  hash?: string,
): VerifyResponse {
  return {
    isValid: false,
    invalidReason: code,
    invalidMessage: message,
    ...known(payer),
    ...named(hash),
  };
}

/** Answers a settlement. A failure's `transaction` is empty; `extra` holds the hash, if there is one. */
export function settled(
  answer: Answer | NamingRefusal<SchemeCode>,
  network: string,
  payer: string | undefined,
): SettleResult {
  if (answer.refusal === undefined) {
    const { hash: transaction, facts } = answer;
    return { success: true, transaction, network, ...known(payer), facts };
  }
  const { code, message } = answer.refusal;
  const hash = 'hash' in answer ? answer.hash : undefined;
  return {
    success: false,
    errorReason: code,
    errorMessage: message,
    transaction: '',
    network,
    ...known(payer),
    ...named(hash),
  };
}
