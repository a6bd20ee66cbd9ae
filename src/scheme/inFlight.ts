import { setTimeout as sleep } from 'node:timers/promises';
import { scAddressText } from './addresses.ts';
import { addressCredentials } from './checks/authorization.ts';
import type { SettleLimits } from './limits.ts';
import type { Payment } from './payment.ts';

/** The authorizations that are being settled right now. */
export interface InFlight {
  /**
   * Runs `work` once no other work on one of the payment's authorizations is under way; undefined where that does
   * not end before `deadline` (a moment). Two settlements of one authorization can so never both pay: the second
   * sees the first one's end on the ledger. Nothing is remembered beyond that.
   */
  alone<T>(payment: Payment, deadline: number, work: () => Promise<T>): Promise<T | undefined>;
  /** Ends when everything under way has ended. */
  idle(): Promise<void>;
}

export function createInFlight(
  now: () => number,
  limits: Pick<SettleLimits, 'maxWaitingPayments'>,
): InFlight {
  let waiting = 0;
  const running = new Map<string, Promise<void>>();

  const otherOf = (keys: readonly string[]) =>
    keys.map((key) => running.get(key)).find((work) => work !== undefined);

  async function endsBefore(work: Promise<void>, deadline: number): Promise<boolean> {
    if (waiting >= limits.maxWaitingPayments) return false;
    waiting++;
    const timeout = new AbortController();
    const late = sleep(Math.max(0, deadline - now()), 'late', { signal: timeout.signal }).catch(
      () => undefined,
    );
    const first = await Promise.race([work, late]);
    timeout.abort();
    waiting--;
    return first !== 'late';
  }

  return {
    async alone(payment, deadline, work) {
      const keys = authorizationKeys(payment);
      for (let other = otherOf(keys); other !== undefined; other = otherOf(keys)) {
        if (!(await endsBefore(other, deadline))) return undefined;
      }
      // Nothing may be awaited between the last look and the entry below.
      const run = work();
      const ended = run.then(noResult, noResult).then(() => keys.forEach((key) => running.delete(key)));
      for (const key of keys) running.set(key, ended);
      return run;
    },
    async idle() {
      while (running.size > 0) await Promise.all(running.values());
    },
  };
}

const noResult = () => undefined;

/** An authorization is spent by its nonce, which counts per address. */
function authorizationKeys({ authorization }: Payment): string[] {
  const credentials = authorization.flatMap((entry) => addressCredentials(entry) ?? []);
  return credentials.map(({ address, nonce }) => `${scAddressText(address)}:${nonce}`);
}
