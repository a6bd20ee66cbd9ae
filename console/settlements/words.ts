/** Describes the steps of a settlement in words. */
import type { Settlement, SettlementStatus } from '../parts/api.ts';
import { counted } from '../parts/numbers.ts';
import type { Level } from '../parts/state.tsx';
import { localTime } from '../parts/time.ts';
import { visible } from '../parts/visible.ts';

export const STATUSES: Readonly<Record<SettlementStatus, { level: Level; text: string }>> = {
  pending: {
    level: 'waiting',
    text: 'It was sent, and its outcome is not known yet. The service is watching the ledger for it.',
  },
  settled: { level: 'good', text: 'It is on the ledger, and the money moved.' },
  failed: {
    level: 'bad',
    text: 'It failed on the ledger: the fee was charged, and nothing else moved.',
  },
  rejected: { level: 'bad', text: 'The network did not take it: nothing moved, and no fee was charged.' },
  expired: {
    level: 'bad',
    text: 'No ledger took it in time, and none will: nothing moved, and no fee was charged.',
  },
  forgotten: {
    level: 'watch',
    text: 'The network no longer remembers the ledgers that could hold it. Look for its hash in an archive of the ledger.',
  },
};

export const LISTINGS: Readonly<Record<NonNullable<Settlement['listing']>, { level: Level; text: string }>> =
  {
    due: { level: 'waiting', text: 'It is not written yet.' },
    listed: { level: 'good', text: 'It is in the catalog.' },
    rejected: { level: 'watch', text: 'The catalog refused it.' },
    'given up': { level: 'bad', text: 'The catalog failed for too long, so it was never written.' },
  };

const WEBHOOK_STEPS: Readonly<Record<NonNullable<Settlement['webhook']>['state'], string>> = {
  pending: 'Webhook pending',
  delivered: 'Webhook delivered',
  dead: 'Webhook is a dead letter',
};

/** Says how far the delivery of the settlement's event is. */
export function webhookNote({
  state,
  attempts = 0,
  failure,
  dueAt,
}: NonNullable<Settlement['webhook']>): string {
  if (state === 'delivered') return 'The receiver accepted it.';
  const why = failure === undefined ? '' : `: ${visible(failure)}`;
  if (state === 'dead')
    return `It became a dead letter after ${counted(attempts, 'attempt')}${why}. You can send it again from the overview.`;
  const next = dueAt === undefined ? '' : ` The next attempt is at ${localTime(dueAt, Date.now())}.`;
  return attempts === 0
    ? `It is not sent yet.${next}`
    : `${counted(attempts, 'attempt')} failed${why}.${next}`;
}

export interface Step {
  readonly name: string;
  /** Undefined if the step has not happened yet, or its time was not recorded. */
  readonly at: string | undefined;
  /** Time since the step before; undefined if either time is not known. */
  readonly tookMs: number | undefined;
  readonly note: string;
  /** True if the time is that of a ledger, which is known only to the second. */
  readonly isWholeSecond: boolean;
}

/** The journal knows one time for both: nothing may be sent that it does not know. */
const SENT_NOTE = 'The journal recorded it at this time: after it was signed, just before it was sent.';

/** Returns the steps of a settlement in order, from the request to the webhook. */
export function stepsOf(settlement: Settlement): Step[] {
  const { askedAt, verifiedAt, sentAt, closedAt, endedAt, listing, listedAt, ledger, status, webhook } =
    settlement;
  const steps: [name: string, at: string | undefined, note: string][] = [
    ['Asked', askedAt, 'The request arrived.'],
    ['Verified', verifiedAt, 'It passed all checks.'],
    ['Signed, then sent', sentAt, SENT_NOTE],
  ];
  if (closedAt !== undefined)
    steps.push([
      ledger === undefined ? 'Ledger closed' : `Ledger ${ledger} closed`,
      closedAt,
      'It holds the transaction.',
    ]);
  steps.push(['Outcome learned', endedAt, status === 'pending' ? 'Not yet.' : STATUSES[status].text]);
  if (listing !== undefined) steps.push(['Listing', listedAt, LISTINGS[listing].text]);
  if (webhook !== undefined) steps.push([WEBHOOK_STEPS[webhook.state], webhook.at, webhookNote(webhook)]);
  let before: string | undefined;
  return steps.map(([name, at, note]) => {
    const tookMs = at === undefined || before === undefined ? undefined : Date.parse(at) - Date.parse(before);
    before = at ?? before;
    return { name, at, note, tookMs, isWholeSecond: at !== undefined && at === closedAt };
  });
}
