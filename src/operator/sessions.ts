import { hash, randomBytes } from 'node:crypto';
import type { OperatorLimits } from './limits.ts';

/** The sessions of browsers that have signed in. They end with the process. */
export interface Sessions {
  /** Opens a session, and returns the value of its cookie. */
  open(): string;
  isOpen(value: string): boolean;
  close(value: string): void;
}

const ID_BYTES = 32;

export function createSessions(
  { sessionMs, maxSessions }: Pick<OperatorLimits, 'sessionMs' | 'maxSessions'>,
  now: () => number = Date.now,
): Sessions {
  /** Maps the hash of a cookie to the end of its session. With a hash, the time of a lookup reveals nothing of a guess. */
  const endsAtMs = new Map<string, number>();
  const keyOf = (value: string): string => hash('sha256', value);
  return {
    open() {
      const [oldest] = endsAtMs.keys();
      if (oldest !== undefined && endsAtMs.size >= maxSessions) endsAtMs.delete(oldest);
      const value = randomBytes(ID_BYTES).toString('base64url');
      endsAtMs.set(keyOf(value), now() + sessionMs);
      return value;
    },
    isOpen(value) {
      const key = keyOf(value);
      if (now() < (endsAtMs.get(key) ?? 0)) return true;
      endsAtMs.delete(key);
      return false;
    },
    close: (value) => void endsAtMs.delete(keyOf(value)),
  };
}
