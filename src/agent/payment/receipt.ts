import { isPassedCode, type PassedCode } from '../codes.ts';
import { isObject, textAt, type Json } from '../json.ts';

/** A target's claim about the outcome of a payment. Only the ledger can confirm it. */
export type Receipt =
  | { readonly kind: 'none' }
  | { readonly kind: 'malformed'; readonly problem: string }
  | { readonly kind: 'failure'; readonly code: PassedCode | undefined; readonly text: string }
  | { readonly kind: 'success'; readonly transaction: string };

/** Reads a SettleResponse for a payment by this payer on this network. */
export function readReceipt(raw: Json | undefined, expected: { network: string; payer: string }): Receipt {
  if (raw === undefined) return { kind: 'none' };
  if (!isObject(raw)) return { kind: 'malformed', problem: 'it cannot be read' };
  const { success, transaction, network, payer } = raw;
  if (success === false) {
    const reason = textAt(raw, 'errorReason');
    const code = isPassedCode(reason) ? reason : undefined;
    return { kind: 'failure', code, text: textAt(raw, 'errorMessage') ?? reason ?? 'no reason given' };
  }
  if (success !== true) return { kind: 'malformed', problem: 'it says neither success nor failure' };
  if (typeof transaction !== 'string' || !/^[0-9a-f]{64}$/i.test(transaction))
    return { kind: 'malformed', problem: 'its transaction is not a hash' };
  if (network !== expected.network) return { kind: 'malformed', problem: 'it names another network' };
  if (payer !== undefined && payer !== null && payer !== expected.payer)
    return { kind: 'malformed', problem: 'it names another payer' };
  return { kind: 'success', transaction: transaction.toLowerCase() };
}

/** Returns the code that a repeated 402 gives as its reason, as stock sellers write it. */
export function codeOfRefusal(required: unknown): PassedCode | undefined {
  const [word] = (textAt(required, 'error') ?? '').split(/[\s:]/);
  return isPassedCode(word) ? word : undefined;
}
