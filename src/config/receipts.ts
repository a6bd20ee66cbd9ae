import type { Environment } from './environment.ts';
import type { Report } from './values.ts';

/** 32 bytes in base64, whose last character before the padding has two bits that mean nothing. */
const SEED = /^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/;
/** Each is published to whoever asks. */
const MAX_SEEDS = 16;

/** Returns undefined if there are no receipts. */
export function readReceiptSeeds(
  { RECEIPT_SECRET: secret }: Environment,
  report: Report,
): readonly string[] | undefined {
  const seeds = secret?.split(',').map((seed) => seed.trim());
  if (seeds === undefined) return undefined;
  const problem = seeds.map(receiptSeedProblem).find((text) => text !== undefined);
  if (problem !== undefined) report('RECEIPT_SECRET', problem);
  else if (new Set(seeds).size < seeds.length) report('RECEIPT_SECRET', 'names a key twice');
  else if (seeds.length > MAX_SEEDS) report('RECEIPT_SECRET', `must hold at most ${MAX_SEEDS} keys`);
  return seeds;
}

/** Returns what is wrong with the seed of a key of receipts, without repeating any part of it. */
export function receiptSeedProblem(seed: string): string | undefined {
  return SEED.test(seed) ? undefined : 'must be 32 random bytes in base64: openssl rand -base64 32';
}
