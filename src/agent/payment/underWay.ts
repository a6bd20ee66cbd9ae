import { follow } from '../wallet/index.ts';
import type { FollowDeps, Followed, SignedPayment } from '../wallet/index.ts';

/** The payments whose outcome is still looked for. */
export interface UnderWay {
  /** Follows a payment until its outcome is known, whether or not anybody waits for it. */
  follow(payment: SignedPayment): Followed;
  /** Waits until no payment is under way. */
  idle(): Promise<void>;
  /** Ends every wait. Payments that are still under way are left with an unknown outcome. */
  stop(): void;
}

export function createUnderWay(deps: Omit<FollowDeps, 'closing'>): UnderWay {
  const closing = new AbortController();
  const underWay = new Set<Followed>();
  return {
    follow(payment) {
      const followed = follow({ ...deps, closing: closing.signal }, payment);
      underWay.add(followed);
      void followed.ended.then(() => underWay.delete(followed));
      return followed;
    },
    async idle() {
      await Promise.all([...underWay].map(({ ended }) => ended));
    },
    stop: () => closing.abort(),
  };
}
