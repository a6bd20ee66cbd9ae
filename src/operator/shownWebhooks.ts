import type { ShownWebhooks } from '../contract/index.ts';
import type { Webhooks } from '../webhooks/index.ts';
import { known } from './known.ts';

/** Reads the state of webhooks, as the port shows it. */
export async function shownWebhooks({ state }: Pick<Webhooks, 'state'>): Promise<ShownWebhooks> {
  const { pending, oldestAt, dead, lastFailure } = await state();
  return known({
    pending,
    oldestAt: oldestAt?.toISOString(),
    dead,
    lastFailure: lastFailure && { ...lastFailure, at: lastFailure.at.toISOString() },
  });
}
