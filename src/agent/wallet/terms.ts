import { StrKey } from '@stellar/stellar-sdk';
import { isRecipient } from '../../stellar/addresses.ts';
import { baseUnits } from '../../stellar/values.ts';
import { refuse, type Refusal } from './refusal.ts';

/** A seller's terms, from one entry of a 402's `accepts`, read and found payable. */
export interface Terms {
  /** C…. */
  readonly asset: string;
  /** Base units, above 0. */
  readonly amount: bigint;
  /** G…, C…, M… or W…. */
  readonly payTo: string;
  readonly maxTimeoutSeconds: number;
  /** The entry as it came. The payment repeats it. */
  readonly accepted: Readonly<Record<string, unknown>>;
}

/** Reads an entry of `accepts`. The message of a refusal is a phrase that fits after "it …". */
export function readTerms(entry: unknown, network: string): Terms | Refusal {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry))
    return refuse('unfit', 'is not an object');
  const accepted = entry as Record<string, unknown>;
  const { scheme, asset, payTo, maxTimeoutSeconds, extra } = accepted;
  if (scheme !== 'exact') return refuse('unfit', 'is not of the scheme exact');
  if (accepted['network'] !== network) return refuse('unfit', `is not on ${network}`);
  const unknownKind = kindProblem(extra);
  if (unknownKind !== undefined)
    return refuse('unfit', `wants a kind of exact payment that Stellar does not have (${unknownKind})`);
  const amount = baseUnits(accepted['amount']);
  if (amount === undefined || amount === 0n)
    return refuse('unfit', 'has an amount that is not a positive integer');
  if (typeof asset !== 'string' || !StrKey.isValidContract(asset))
    return refuse('unfit', 'has an asset that is not a contract address (C…)');
  if (typeof payTo !== 'string' || !isRecipient(payTo))
    return refuse('unfit', 'has a payTo that is not a Stellar address');
  if (typeof maxTimeoutSeconds !== 'number' || !(maxTimeoutSeconds > 0))
    return refuse('unfit', 'has a maxTimeoutSeconds that is not a positive number');
  return { asset, amount, payTo, maxTimeoutSeconds, accepted };
}

/**
 * Returns why Stellar has no such kind of payment. Fees are always sponsored on Stellar, and an offer must say so,
 * since stock buyers refuse one that does not. The payment always settles by the buyer's authorization.
 */
function kindProblem(extra: unknown): string | undefined {
  const { areFeesSponsored, paymentFlow = 'authorization' } = (extra ?? {}) as Record<string, unknown>;
  if (areFeesSponsored !== true) return 'extra.areFeesSponsored is not true';
  return paymentFlow === 'authorization' ? undefined : 'extra.paymentFlow is not authorization';
}
