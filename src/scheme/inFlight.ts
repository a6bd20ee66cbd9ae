import { createHash } from 'node:crypto';
import { scAddressText } from './addresses.ts';
import { usedCredentials } from './checks/authorization.ts';
import type { SettleLimits } from './limits.ts';
import type { Payment } from './payment.ts';

/** The authorizations that are being settled right now. */
export interface InFlight {
  /**
   * Runs `work` when all earlier work on the payment's authorization has ended, in the order of arrival; undefined
   * where too much waits already. Two settlements of one authorization can so never both pay: the second sees the
   * first one's end on the ledger. Nothing is remembered beyond that.
   */
  alone<T>(payment: Payment, work: () => Promise<T>): Promise<T> | undefined;
  /** The same for an authorization by its key. */
  aloneOn<T>(authorization: string, work: () => Promise<T>): Promise<T> | undefined;
}

interface Line {
  length: number;
  /** The end of the last work in line. */
  end: Promise<void>;
}

export function createInFlight(limits: Pick<SettleLimits, 'maxWaitingPerAuthorization'>): InFlight {
  const lines = new Map<string, Line>();

  const inFlight: InFlight = {
    alone: (payment, work) => inFlight.aloneOn(authorizationKey(payment), work),
    aloneOn(key, work) {
      const line = lines.get(key) ?? { length: 0, end: Promise.resolve() };
      if (line.length > limits.maxWaitingPerAuthorization) return undefined;
      const run = line.end.then(work);
      const leave = () => {
        line.length--;
        if (line.length === 0) lines.delete(key);
      };
      line.length++;
      line.end = run.then(leave, leave);
      lines.set(key, line);
      return run;
    },
  };
  return inFlight;
}

/** What an authorization is known by: it is spent by its nonce, which counts per address. */
export function authorizationKey(payment: Payment): string {
  const used = usedCredentials(payment);
  if (used !== undefined) return `${scAddressText(used.address)}:${used.nonce}`;
  // Without one the payment will be refused; it need not wait for anything but itself.
  return createHash('sha256').update(payment.transaction).digest('hex');
}
