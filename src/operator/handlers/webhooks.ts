import type { OperatorHandlers, ShownWebhooks } from '../../contract/index.ts';
import { shownRecord } from '../../journal/index.ts';
import type { Webhooks } from '../../webhooks/index.ts';
import { refuse, UNKNOWN_CURSOR } from '../refusal.ts';

/** Gives the operator the state of webhooks, and lets them send a dead letter again. */
export type WatchedWebhooks = Pick<Webhooks, 'state' | 'deadLetters' | 'retry' | 'ofSettlement'>;

const DEFAULT_LIMIT = 50;
const NONE = refuse('op_not_found', 'Webhooks are off: set WEBHOOK_URL.');

/** Shows the events that wait for the operator's receiver, and the dead letters. */
export function createWebhookHandlers(
  webhooks: WatchedWebhooks | undefined,
): Pick<OperatorHandlers, 'getWebhooks' | 'listDeadLetters' | 'retryDeadLetter'> {
  return {
    async getWebhooks() {
      return webhooks === undefined ? NONE : { status: 200, body: await shownWebhooks(webhooks) };
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
      return { status: 200, body: { letters, ...(page.next !== undefined && { next: page.next }) } };
    },
    async retryDeadLetter({ path: { id } }) {
      if (webhooks === undefined) return NONE;
      if (await webhooks.retry(id)) return { status: 204, body: undefined };
      return refuse('op_not_found', 'There is no dead letter with this id.');
    },
  };
}

export async function shownWebhooks({ state }: Pick<WatchedWebhooks, 'state'>): Promise<ShownWebhooks> {
  const { pending, oldestAt, dead, lastFailure } = await state();
  return {
    pending,
    ...(oldestAt !== undefined && { oldestAt: oldestAt.toISOString() }),
    dead,
    ...(lastFailure !== undefined && { lastFailure: { ...lastFailure, at: lastFailure.at.toISOString() } }),
  };
}
