import type { Event } from '../journal/index.ts';

/** Returns the body of an event's message, the same for each attempt. Unknown facts are left out. */
export function messageOf({ record }: Event): string {
  const { hash, status, payer, payTo, amount, asset, resource, caller, code, message } = record;
  const { feeStroops, ledger, askedAt, verifiedAt, sentAt, closedAt, endedAt, requestId } = record;
  return JSON.stringify({
    type: `settlement.${status}`,
    timestamp: endedAt,
    data: {
      ...{ hash, status, payer, payTo, amount, asset, resource, caller, code, message },
      ...{ feeStroops, ledger, askedAt, verifiedAt, sentAt, closedAt, endedAt, requestId },
    },
  });
}
