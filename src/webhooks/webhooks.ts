import type { DeadLetterPage, EventProgress, Events, EventsState } from '../journal/index.ts';
import { createAttempts } from './attempts.ts';
import { createDelivery, type Delivery } from './delivery.ts';
import { WEBHOOK_LIMITS, type WebhookLimits } from './limits.ts';
import { createReceiverLog, UNOBSERVED, type WebhookLog, type WebhookObserver } from './log.ts';
import { createReceiver } from './receiver.ts';

/** Delivers events to the operator's receiver. Methods that read or change events reject if the store fails. */
export interface Webhooks {
  /** Starts to deliver. */
  start(): void;
  /** Returns dead letters, the latest first; undefined if `after` is not the `next` of a page. */
  deadLetters(limit: number, after?: string): Promise<DeadLetterPage | undefined>;
  /** Sends a dead letter again, after the other events of its recipient. Returns false if there is no such letter. */
  retry(id: string): Promise<boolean>;
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
  return {
    start() {
      const receiver = createReceiver({ url, secret, limits });
      const receiverLog = createReceiverLog(log, { url, intervalMs: limits.logIntervalMs });
      const attempts = createAttempts({ events, receiver, limits, log, receiverLog, observer, random });
      delivery = createDelivery({ attempts, receiver, limits });
    },
    deadLetters: async (limit, after) => events.deadLetters(limit, after),
    retry: async (id) => events.retry(id),
    state: async () => events.state(),
    ofSettlement: async (hash) => events.ofSettlement(hash),
    close: async () => delivery?.close(),
  };
}
