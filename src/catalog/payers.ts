import { hash } from 'node:crypto';
import { recipientKey } from './keeper/target.ts';
import { MAX_KNOWN_PAYERS } from './limits.ts';
import type { Settlement } from './store.ts';

const HOUR_MS = 3_600_000;
/** A payer has come back if it pays again after so long. */
const BACK_AFTER_HOURS = 24;
/** A listing that has been paid for this long gains nothing from more time. */
const FULL_AGE_HOURS = 180 * 24;
/** Bits of a payer's hash. So few that, of all accounts of a network, several have the same. */
const HASH_BYTES = 3;

/** What each sign is worth, of 1. The payers themselves are multiplied with the others. */
const WORTH = { payers: 0.5, back: 0.3, age: 0.2 };

/** A payer as a listing remembers it: its hash, the unix hour of its first payment, and 1 if it has come back. */
type Payer = readonly [hash: string, firstHour: number, hasComeBack: 0 | 1];

/**
 * Returns the payers of a listing after a settlement, as they are stored: JSON of at most 400 bytes, or null if none is
 * known. The recipient itself does not count, nor does a payment in a token that anybody can claim to hold. The same
 * settlement may be reported again.
 */
export function payersAfter(
  before: string | null,
  {
    payer,
    requirements: { payTo },
    settledAt,
    isStellarAsset,
  }: Pick<Settlement, 'payer' | 'requirements' | 'settledAt' | 'isStellarAsset'>,
): string | null {
  if (payer === undefined || !isStellarAsset || recipientKey(payer) === recipientKey(payTo)) return before;
  const payers = payersIn(before);
  const hashed = hashOf(payer, payTo);
  const hour = Math.floor(settledAt.getTime() / HOUR_MS);
  const at = payers.findIndex(([known]) => known === hashed);
  if (at === -1)
    return payers.length < MAX_KNOWN_PAYERS ? JSON.stringify([...payers, [hashed, hour, 0]]) : before;
  const [, first, hadComeBack] = payers[at]!;
  const hasComeBack = Math.abs(hour - first) >= BACK_AFTER_HOURS ? 1 : hadComeBack;
  return JSON.stringify(payers.with(at, [hashed, Math.min(first, hour), hasComeBack]));
}

/**
 * Returns what the payers of a listing say for it, from 0 to 1. It grows with the logarithm of their number. One alone
 * says nothing, so an account that pays for everything of a seller gains nothing.
 */
export function trustIn(text: string | null, lastPaidMs: number): number {
  const payers = payersIn(text);
  if (payers.length < 2) return 0;
  const many = Math.log(payers.length) / Math.log(MAX_KNOWN_PAYERS);
  const back = payers.filter(([, , hasComeBack]) => hasComeBack === 1).length / payers.length;
  const first = Math.min(...payers.map(([, firstHour]) => firstHour));
  const age = Math.min(1, Math.max(0, lastPaidMs / HOUR_MS - first) / FULL_AGE_HOURS);
  return many * (WORTH.payers + WORTH.back * back + WORTH.age * age);
}

/** Hashes a payer differently for each recipient, so that listings of several do not show that they share it. */
const hashOf = (payer: string, payTo: string): string =>
  hash('sha256', `${payTo} ${payer}`, 'buffer').subarray(0, HASH_BYTES).toString('base64url');

/** Returns none if the row is damaged. */
function payersIn(text: string | null): readonly Payer[] {
  try {
    const payers: unknown = JSON.parse(text ?? '[]');
    return Array.isArray(payers) && payers.every(isPayer) ? payers : [];
  } catch {
    return [];
  }
}

const isPayer = (value: unknown): value is Payer =>
  Array.isArray(value) && typeof value[0] === 'string' && Number.isInteger(value[1]);
