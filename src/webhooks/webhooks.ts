import type { DeadLetterPage, EventProgress, Events, EventsState, FailingEvent } from '../journal/index.ts';
import { createAttempts } from './attempts.ts';
import { createDelivery, type Delivery } from './delivery.ts';
import { WEBHOOK_LIMITS, type WebhookLimits } from './limits.ts';
import { createReceiverLog, UNOBSERVED, type WebhookLog, type WebhookObserver } from './log.ts';
import { createReceiver } from './receiver.ts';

/** Delivers events to the operator's receiver. Methods that read or change events reject if the store fails. */
export interface Webhooks {
  /** Starts to deliver. */
  start(): void;
  /** Returns the events that fail, the oldest first. */
  failing(limit: number): Promise<FailingEvent[]>;
  /** Makes an event that fails a dead letter. Returns false if there is no such event. */
  giveUp(id: string): Promise<boolean>;
  /** Returns dead letters, the latest first; undefined if `after` is not the `next` of a page. */
  deadLetters(limit: number, after?: string): Promise<DeadLetterPage | undefined>;
  /** Sends a dead letter again, after the other events of its recipient. Returns false if there is no such letter. */
  retry(id: string): Promise<boolean>;
  /** Deletes a dead letter. Returns false if there is no such letter. */
  discard(id: string): Promise<boolean>;
  state(): Promise<EventsState>;
  /** Says how far a settlement's event is; undefined if it has none. */
  ofSettlement(hash: string): Promise<EventProgress | undefined>;
  close(): Promise<void>;
}

export interface WebhooksDeps {
  url: string;
  secret: string;
  events: Events;
  log: WebhookLog;
  observer?: WebhookObserver | undefined;
  limits?: Partial<WebhookLimits>;
  random?: () => number;
}

export function createWebhooks(deps: WebhooksDeps): Webhooks {
  const { url, secret, events, log, observer = UNOBSERVED, random = Math.random } = deps;
  const limits = { ...WEBHOOK_LIMITS, ...deps.limits };
  let delivery: Delivery | undefined;

  /** Logs what the operator did to an event, if there was one. */
  async function logged(
    event: string,
    isDone: boolean | Promise<boolean>,
    message: string,
  ): Promise<boolean> {
    if (!(await isDone)) return false;
    log.info({ event }, message);
    return true;
  }

  return {
    start() {
      const receiver = createReceiver({ url, secret, limits });
      const receiverLog = createReceiverLog(log, { url, intervalMs: limits.logIntervalMs });
      const attempts = createAttempts({ events, receiver, limits, log, receiverLog, observer, random });
      delivery = createDelivery({ attempts, receiver, limits });
    },
    deadLetters: async (limit, after) => events.deadLetters(limit, after),
    failing: async (limit) => events.failing(limit),
    async giveUp(id) {
      const isGivenUp = await logged(
        id,
        events.giveUpFailing(id),
        'the operator gave up a webhook: it is now a dead letter',
      );
      if (isGivenUp) observer.givenUp();
      return isGivenUp;
    },
    retry: async (id) => logged(id, events.retry(id), 'the operator sends a dead letter again'),
    discard: async (id) => logged(id, events.discard(id), 'the operator discarded a dead letter'),
    state: async () => events.state(),
    ofSettlement: async (hash) => events.ofSettlement(hash),
    close: async () => delivery?.close(),
  };
}
