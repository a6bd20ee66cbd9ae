import type { Event, Events } from '../journal/index.ts';
import { retryDelayMs, type WebhookLimits } from './limits.ts';
import type { ReceiverLog, WebhookLog, WebhookObserver } from './log.ts';
import { messageOf } from './message.ts';
import type { Receiver, Refusal } from './receiver.ts';

export interface AttemptsDeps {
  events: Events;
  receiver: Receiver;
  limits: WebhookLimits;
  log: WebhookLog;
  receiverLog: ReceiverLog;
  observer: WebhookObserver;
  /** Returns a number from 0 to 1. */
  random: () => number;
}

/** Attempts to deliver claimed events. Never rejects: if the store fails, an event is due again after its lease. */
export interface Attempts {
  /** Returns no events if the store fails. */
  claim(count: number): Promise<Event[]>;
  /** Returns the pause that the receiver asks for, in milliseconds. */
  deliver(event: Event): Promise<number>;
}

export function createAttempts(deps: AttemptsDeps): Attempts {
  const { events, receiver, limits, log, receiverLog, observer, random } = deps;
  let hasFailed = false;

  /** Does work on the store. If the store fails, logs that once, and returns the fallback. */
  async function stored<Result>(fallback: Result, work: () => Result | Promise<Result>): Promise<Result> {
    try {
      const result = await work();
      hasFailed = false;
      return result;
    } catch (err) {
      if (!hasFailed) log.error({ err }, 'webhooks wait: the journal cannot be read or written');
      hasFailed = true;
      return fallback;
    }
  }

  async function giveUp(event: Event, failure: string): Promise<void> {
    const { id, attempts } = event;
    const isStored = await stored(false, async () => {
      await events.giveUp(event, failure);
      return true;
    });
    if (!isStored) return;
    observer.givenUp();
    log.error({ event: id, attempts, failure }, 'a webhook is given up: it is now a dead letter');
  }

  async function fail(event: Event, { failure, retryAfterMs = 0 }: Refusal): Promise<number> {
    const { id, attempts } = event;
    const askedMs = Math.min(retryAfterMs, limits.maxRetryAfterMs);
    observer.failed();
    receiverLog.failed(id, failure);
    if (attempts >= limits.maxAttempts) await giveUp(event, failure);
    else {
      const delayMs = Math.max(askedMs, retryDelayMs(attempts, limits, random));
      await stored(undefined, () => events.putOff(event, failure, delayMs));
    }
    return askedMs;
  }

  return {
    claim: (count) => stored<Event[]>([], () => events.claim(count, limits.leaseMs)),
    async deliver(event) {
      const refusal = await receiver.send({ id: event.id, body: messageOf(event) });
      if (refusal !== undefined) return fail(event, refusal);
      observer.delivered(event.attempts);
      receiverLog.delivered();
      await stored(undefined, () => events.delivered(event));
      return 0;
    },
  };
}
