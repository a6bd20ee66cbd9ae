import { hash } from 'node:crypto';
import { recipientKey } from '../../catalog/index.ts';
import type { In, ListingOperation } from '../../contract/index.ts';
import type { SellerLimits } from './limits.ts';

type Named = Pick<In<ListingOperation>['body'], 'recipient' | 'resource' | 'type' | 'toolName'>;

/** Says that an act must wait, in seconds. */
export interface Wait {
  readonly seconds: number;
}

/** Limits how often recipients change their listings: each change may end the walks of others' cursors. */
export interface Acts {
  /** Counts an act. Returns a function that takes it back, for an act that changed nothing. */
  count(act: Named): (() => void) | Wait;
}

interface Window {
  acts: number;
  readonly endsMs: number;
}

const HOUR_MS = 3_600_000;

/**
 * This process counts for itself, in windows that begin with the first act. An account and its muxed forms count as one.
 * `now` returns milliseconds that never decrease.
 */
export function createActs(limits: SellerLimits, now: () => number): Acts {
  /** In the order in which they began. */
  const windows = new Map<string, Window>();

  function forgetOld(): void {
    for (const [key, { endsMs }] of windows) {
      if (endsMs > now()) return;
      windows.delete(key);
    }
  }

  const take = (key: string): void => {
    const window = windows.get(key);
    if (window === undefined) windows.set(key, { acts: 1, endsMs: now() + HOUR_MS });
    else window.acts += 1;
  };
  const giveBack = (key: string): void => {
    const window = windows.get(key);
    if (window !== undefined && (window.acts -= 1) <= 0) windows.delete(key);
  };
  const untilMs = (key: string, max: number): number => {
    const window = windows.get(key);
    return window !== undefined && window.acts >= max ? window.endsMs : 0;
  };
  /** Whoever has no window yet waits until the oldest one ends if there are too many. */
  const untilThereIsRoomMs = (): number => {
    const [oldest] = windows.values();
    return windows.size >= limits.maxActWindows && oldest !== undefined ? oldest.endsMs : 0;
  };

  return {
    count({ recipient, resource, type, toolName = '' }) {
      forgetOld();
      const account = recipientKey(recipient);
      const listing = hash('sha256', JSON.stringify([account, resource, type, toolName]), 'base64');
      const endsMs = Math.max(
        untilMs(account, limits.actsPerRecipientPerHour),
        untilMs(listing, limits.actsPerListingPerHour),
        windows.has(listing) ? 0 : untilThereIsRoomMs(),
      );
      if (endsMs > 0) return { seconds: Math.max(1, Math.ceil((endsMs - now()) / 1_000)) };
      take(account);
      take(listing);
      return () => [account, listing].forEach(giveBack);
    },
  };
}
