import { hash } from 'node:crypto';

/** Payments that were lately verified and found good. They go first when they are to be settled. */
export interface VerifiedLately {
  note(transaction: string): void;
  has(transaction: string): boolean;
}

/**
 * Remembers the last `most` payments, and decides only who waits for whom. A flood of forged settlements makes honest
 * ones wait to be verified. A seller that verified before it delivered has shown that its payment is not forged.
 */
export function createVerifiedLately(most: number): VerifiedLately {
  const digests = new Set<string>();
  const digestOf = (transaction: string): string => hash('sha256', transaction, 'base64');
  return {
    note(transaction) {
      const digest = digestOf(transaction);
      digests.delete(digest);
      digests.add(digest);
      if (digests.size > most) digests.delete(digests.keys().next().value!);
    },
    has: (transaction) => digests.has(digestOf(transaction)),
  };
}
