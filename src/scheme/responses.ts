import type { VerifyResponse } from '../contract/index.ts';
import type { Refusal, SchemeCode } from './refusal.ts';
import type { SettleResult } from './scheme.ts';
import type { Answer } from './settle/answer.ts';

const known = (payer: string | undefined) => (payer === undefined ? {} : { payer });

export function valid(payer: string | undefined): VerifyResponse {
  return { isValid: true, ...known(payer) };
}

export function invalid({ code, message }: Refusal, payer: string | undefined): VerifyResponse {
  return { isValid: false, invalidReason: code, invalidMessage: message, ...known(payer) };
}

/** Answers a settlement. A failure's `transaction` is empty; `extra` holds the hash, if there is one. */
export function settled(
  answer: Answer | { refusal: Refusal<SchemeCode> },
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
    ...(hash !== undefined && { extra: { transaction: hash } }),
  };
}
