import type { SellerLimits } from './limits.ts';

/** Remembers when each recipient signed its latest read, for as long as that signature would count. */
export interface Reads {
  /** Notes a read. 'used' if the recipient has signed one as late as this; 'full' if too many are remembered. */
  note(recipient: string, signedAtMs: number): 'new' | 'used' | 'full';
}

/** This process remembers by itself: each instance gives a signature one answer. */
export function createReads(limits: SellerLimits, now: () => number): Reads {
  /** In the order in which they were noted. */
  const signedAt = new Map<string, { signedAtMs: number; untilMs: number }>();

  function forgetOld(): void {
    for (const [recipient, { untilMs }] of signedAt) {
      if (untilMs > now()) return;
      signedAt.delete(recipient);
    }
  }

  return {
    note(recipient, signedAtMs) {
      forgetOld();
      const before = signedAt.get(recipient);
      if (before !== undefined && signedAtMs <= before.signedAtMs) return 'used';
      if (before === undefined && signedAt.size >= limits.maxReaders) return 'full';
      signedAt.delete(recipient);
      // Whatever was signed counts no longer than this.
      signedAt.set(recipient, { signedAtMs, untilMs: now() + limits.aheadMs + limits.validMs });
      return 'new';
    },
  };
}
