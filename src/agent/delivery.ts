/** Says whether the result of a call gets to its host. */
export interface Delivery {
  /** Aborted if the host has gone before it had the result. */
  readonly hungUp: AbortSignal;
  /** Resolves once the result was handed over, or the host has gone. */
  readonly ended: Promise<void>;
  /** Lets a hang-up that has arrived by now be noticed before the result leaves. */
  noticeHangUp(): Promise<void>;
}

/** The delivery to a host that cannot go unseen: a result counts as delivered once it is there. */
export const DELIVERED_AT_ONCE: Delivery = {
  hungUp: new AbortController().signal,
  ended: Promise.resolve(),
  noticeHangUp: () => Promise.resolve(),
};
