import { isSecretOf, readKey } from './key.ts';
import type { KeyStore } from './keyStore.ts';
import type { StoredKey } from './storedKey.ts';

/** Holds the keys in use in memory, so that no request waits for their store. */
export interface KnownKeys {
  /** Returns the key that a caller shows; undefined if it is none, unknown or revoked. Takes microseconds. */
  shownIn(text: string): StoredKey | undefined;
  withId(id: string): StoredKey | undefined;
  /** False while the keys cannot be read: those read last stay valid. */
  isCurrent(): boolean;
  /** Stops looking for changes. */
  close(): void;
}

export interface KnownKeysDeps {
  store: Pick<KeyStore, 'changedAfter'>;
  lookEveryMs: number;
  /** Calls `look` when the store tells of a change by itself. */
  onChange?: ((look: () => void) => void) | undefined;
  log: { error(fields: object, message: string): void };
}

const OUTDATED = 'the keys of callers cannot be read: those read last stay valid';

/** Reads the keys, and from then on what changes. Throws if they cannot be read at first. */
export async function openKnownKeys({
  store,
  lookEveryMs,
  onChange,
  log,
}: KnownKeysDeps): Promise<KnownKeys> {
  const inUse = new Map<string, StoredKey>();
  let latestChange = 0;
  let isFailing = false;
  let isLooking = false;
  let looksAgain = false;
  let isClosed = false;

  async function read(): Promise<void> {
    for (const key of await store.changedAfter(latestChange)) {
      if (key.revokedAtMs === undefined) inUse.set(key.id, key);
      else inUse.delete(key.id);
      latestChange = key.change;
    }
  }

  /** One look at a time. A change during a look is followed by another one. */
  async function look(): Promise<void> {
    looksAgain = true;
    if (isLooking) return;
    isLooking = true;
    while (looksAgain) {
      looksAgain = false;
      try {
        await read();
        isFailing = false;
      } catch (err) {
        if (!isFailing && !isClosed) log.error({ err }, OUTDATED);
        isFailing = true;
      }
    }
    isLooking = false;
  }

  await read();
  const timer = setInterval(() => void look(), lookEveryMs).unref();
  onChange?.(() => void look());
  return {
    shownIn(text) {
      const shown = readKey(text);
      const key = shown && inUse.get(shown.id);
      return key !== undefined && isSecretOf(shown!, key.secretHash) ? key : undefined;
    },
    withId: (id) => inUse.get(id),
    isCurrent: () => !isFailing,
    close() {
      isClosed = true;
      clearInterval(timer);
    },
  };
}

/** Knows no key, for a service without a store. */
export const NO_KEYS: KnownKeys = {
  shownIn: () => undefined,
  withId: () => undefined,
  isCurrent: () => true,
  close() {},
};
