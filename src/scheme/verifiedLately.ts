import { hash } from 'node:crypto';

/** The payments that were verified and found good a while ago: those come first when they are to be settled. */
export interface VerifiedLately {
  note(transaction: string): void;
  has(transaction: string): boolean;
}

/**
 * Whoever floods the service with forged settlements makes honest ones wait for their verification. A seller that
 * verified before it delivered has shown that its payment is none of them. Remembers the last `most`; it decides who
 * waits for whom, and nothing else.
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
