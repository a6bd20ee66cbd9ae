import type { SettleResponse, VerifyResponse } from '../contract/index.ts';
import type { Refusal } from './refusal.ts';
import type { Ending } from './settle/ending.ts';

const known = (payer: string | undefined) => (payer === undefined ? {} : { payer });

export function valid(payer: string | undefined): VerifyResponse {
  return { isValid: true, ...known(payer) };
}

export function invalid({ code, message }: Refusal, payer: string | undefined): VerifyResponse {
  return { isValid: false, invalidReason: code, invalidMessage: message, ...known(payer) };
}

/** Answers a settlement. A failure's `transaction` is empty; `extra` holds the hash, if there is one. */
export function settled(
  { refusal, hash }: Ending,
  network: string,
  payer: string | undefined,
): SettleResponse {
  if (refusal === undefined) return { success: true, transaction: hash, network, ...known(payer) };
  const { code, message } = refusal;
  const extra = hash === undefined ? {} : { extra: { transaction: hash } };
  return {
    success: false,
    errorReason: code,
    errorMessage: message,
    transaction: '',
    network,
    ...known(payer),
    ...extra,
  };
}
