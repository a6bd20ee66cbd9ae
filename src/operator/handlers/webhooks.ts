import type { OperatorHandlers } from '../../contract/index.ts';
import { shownRecord } from '../../journal/index.ts';
import type { Webhooks } from '../../webhooks/index.ts';
import { known } from '../known.ts';
import { refuse, UNKNOWN_CURSOR } from '../refusal.ts';
import { shownWebhooks } from '../shownWebhooks.ts';

/** Shows webhooks to the operator, who may give up or repeat those that fail. */
export type WatchedWebhooks = Omit<Webhooks, 'start' | 'close'>;

const DEFAULT_LIMIT = 50;
const NONE = refuse('op_not_found', 'Webhooks are off: set WEBHOOK_URL.');
const NO_LETTER = refuse('op_not_found', 'There is no dead letter with this id.');
const DONE = { status: 204, body: undefined } as const;

type WebhookHandlers = Pick<
  OperatorHandlers,
  | 'getWebhooks'
  | 'listFailingEvents'
  | 'giveUpEvent'
  | 'listDeadLetters'
  | 'retryDeadLetter'
  | 'discardDeadLetter'
>;

/** Shows the events that wait for the receiver, and lets the operator act on those that fail. */
export function createWebhookHandlers(webhooks: WatchedWebhooks | undefined): WebhookHandlers {
  return {
    async getWebhooks() {
      return webhooks === undefined ? NONE : { status: 200, body: await shownWebhooks(webhooks) };
    },
    async listFailingEvents({ query }) {
      if (webhooks === undefined) return NONE;
      const failing = await webhooks.failing(query.limit ?? DEFAULT_LIMIT);
      const events = failing.map(({ record, dueAt, ...event }) => ({
        ...event,
        settlement: shownRecord(record),
        dueAt: dueAt.toISOString(),
      }));
      return { status: 200, body: { events } };
    },
    async giveUpEvent({ path: { id } }) {
      if (webhooks === undefined) return NONE;
      if (await webhooks.giveUp(id)) return DONE;
      return refuse('op_not_found', 'There is no failing event with this id.');
    },
    async listDeadLetters({ query }) {
      if (webhooks === undefined) return NONE;
      const page = await webhooks.deadLetters(query.limit ?? DEFAULT_LIMIT, query.cursor);
      if (page === undefined) return UNKNOWN_CURSOR;
      const letters = page.letters.map(({ id, record, attempts, failure, givenUpAt }) => ({
        id,
        settlement: shownRecord(record),
        attempts,
        failure,
        givenUpAt: givenUpAt.toISOString(),
      }));
      return { status: 200, body: known({ letters, next: page.next }) };
    },
    async retryDeadLetter({ path: { id } }) {
      if (webhooks === undefined) return NONE;
      return (await webhooks.retry(id)) ? DONE : NO_LETTER;
    },
    async discardDeadLetter({ path: { id } }) {
      if (webhooks === undefined) return NONE;
      return (await webhooks.discard(id)) ? DONE : NO_LETTER;
    },
  };
}
