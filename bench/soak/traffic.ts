import { setTimeout as pause } from 'node:timers/promises';
import type { Answer, MeasuredServer } from '../measuredServer.ts';
import type { Payments } from '../payments.ts';

/** Every payment is verified so often before it is settled. */
const VERIFIES_PER_PAYMENT = 50;
const PAYMENT_INTERVAL_MS = 500;
export const VERIFIES_PER_SECOND = (VERIFIES_PER_PAYMENT * 1000) / PAYMENT_INTERVAL_MS;
export const SETTLES_PER_SECOND = 1000 / PAYMENT_INTERVAL_MS;
/** Payments that may be under way at a time: beyond it a server that is not up to the traffic gets less. */
const MAX_PAYMENTS_UNDER_WAY = 100;

/** Counts the answers of one server so far. */
export interface Traffic {
  verifyMs: number[];
  settleMs: number[];
  /** Payments for which there was no room. */
  leftOut: number;
  /** Refused, though all of them are good: how often each reason was given. */
  refusals: Record<string, number>;
}

export const newTraffic = (): Traffic => ({ verifyMs: [], settleMs: [], leftOut: 0, refusals: {} });

/** Steady traffic, until it is told to stop; then it awaits the answers that are due. Throws where one does not come. */
export async function drive(
  server: MeasuredServer,
  payments: Payments,
  traffic: Traffic,
  stop: AbortSignal,
): Promise<void> {
  const underWay = new Set<Promise<void>>();
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => {});
  const startedAt = performance.now();
  for (let nth = 1; !stop.aborted; nth++) {
    if (underWay.size < MAX_PAYMENTS_UNDER_WAY) {
      const paid = pay(server, await payments.next(), traffic).then(() => void underWay.delete(paid));
      paid.catch(failed.reject);
      underWay.add(paid);
    } else traffic.leftOut += 1;
    await Promise.race([failed.promise, until(startedAt + nth * PAYMENT_INTERVAL_MS)]);
  }
  await Promise.all(underWay);
}

/** As many verifies as there are in the time of a payment, then its settlement. */
async function pay(server: MeasuredServer, body: string, traffic: Traffic): Promise<void> {
  const startedAt = performance.now();
  const verifies: Promise<void>[] = [];
  for (let nth = 1; nth <= VERIFIES_PER_PAYMENT; nth++) {
    verifies.push(ask(server, '/verify', body, traffic));
    await until(startedAt + (nth * PAYMENT_INTERVAL_MS) / VERIFIES_PER_PAYMENT);
  }
  await Promise.all(verifies);
  await ask(server, '/settle', body, traffic);
}

async function ask(
  server: MeasuredServer,
  path: '/verify' | '/settle',
  body: string,
  { verifyMs, settleMs, refusals }: Traffic,
): Promise<void> {
  const startedAt = performance.now();
  const answer = await server.post(path, body);
  (path === '/verify' ? verifyMs : settleMs).push(performance.now() - startedAt);
  if (isGood(answer)) return;
  const reason = String(answer['invalidReason'] ?? answer['errorReason']);
  refusals[reason] = (refusals[reason] ?? 0) + 1;
}

const isGood = (answer: Answer): boolean => answer['isValid'] === true || answer['success'] === true;

const until = (moment: number): Promise<void> => pause(Math.max(1, moment - performance.now()));
