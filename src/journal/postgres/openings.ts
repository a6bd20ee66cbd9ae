import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JournalEntry, Opened } from '../../scheme/index.ts';
import { RESOURCE_LIMIT_CHARS } from '../limits.ts';
import { fact, kept, keptListing } from '../rows.ts';
import type { SharedJournalDeps } from './journal.ts';
import type { Outbox } from './outbox.ts';
import * as statements from './statements.ts';

/** Opens entries, each in one round trip. An opening has a name of its own: trying it again opens nothing twice. */
export interface Openings {
  open(entry: JournalEntry, mayStillSend: () => boolean): Promise<Opened>;
  /** Returns the opening of an entry that ends; undefined if this process has not opened it. */
  end(hash: string): string | undefined;
}

interface OpeningsDeps extends Pick<SharedJournalDeps, 'db' | 'instance' | 'log' | 'limits'> {
  outbox: Pick<Outbox, 'add'>;
}

export function createOpenings({ db, instance, log, limits, outbox }: OpeningsDeps): Openings {
  /** The openings of the entries that this process has opened and not closed, by hash. */
  const openings = new Map<string, string>();

  /** Asks again while there is time: the answer may be lost although the entry is open. */
  async function openInTime(
    entry: JournalEntry,
    opening: string,
  ): Promise<{ opened: Opened; mayBeOpen: boolean }> {
    const values = valuesOf(entry, instance, opening);
    const deadline = performance.now() + limits.openWithinMs;
    let mayBeOpen = false;
    for (;;) {
      try {
        const [row] = await db.query(statements.OPEN, values);
        const opened = row!['opened'] as Opened;
        return { opened, mayBeOpen: mayBeOpen || opened === 'open' };
      } catch (err) {
        mayBeOpen = true;
        if (performance.now() + limits.retryAfterMs < deadline) {
          await sleep(limits.retryAfterMs);
          continue;
        }
        log.error({ err }, 'the journal failed: a settlement was not recorded, so nothing was sent');
        return { opened: 'unavailable', mayBeOpen };
      }
    }
  }

  return {
    async open(entry, mayStillSend) {
      const opening = randomUUID();
      const { opened, mayBeOpen } = await openInTime(entry, opening);
      const result = mayStillSend() ? opened : 'unavailable';
      if (result === 'open') openings.set(entry.hash, opening);
      else if (mayBeOpen) outbox.add(statements.WITHDRAW, [entry.hash, opening, entry.submitter]);
      return result;
    },
    end(hash) {
      const opening = openings.get(hash);
      openings.delete(hash);
      return opening;
    },
  };
}

function valuesOf(entry: JournalEntry, instance: string, opening: string): unknown[] {
  const { hash, payer, party, authorization, submitter, sequence, bid, budget, sent, isStellarAsset, key } =
    entry;
  return [
    instance,
    hash,
    opening,
    fact(payer),
    fact(party),
    keptListing(entry) ?? null,
    fact(authorization),
    fact(submitter),
    String(sequence),
    bid.inclusionStroops,
    bid.totalStroops,
    sent.validity.maxTimeSeconds,
    sent.validity.lastLedger,
    sent.sentInLedger,
    isStellarAsset,
    budget.caller,
    budget.callerStroops,
    budget.serviceStroops,
    JSON.stringify(recordOf(entry)),
    key?.keyHash ?? null,
    key?.bodyHash ?? null,
    entry.paymentIdentifier ?? null,
  ];
}

/** Returns what the entry's record has beside all else, by column. The times are in milliseconds before its opening. */
function recordOf(entry: JournalEntry): object {
  const { payTo, amount, asset, resource, requestId, askedAgoMs, verifiedAgoMs } = entry;
  return {
    pay_to: fact(payTo),
    amount: fact(String(amount)),
    asset: fact(asset),
    resource: resource === undefined ? null : kept(resource, RESOURCE_LIMIT_CHARS),
    request_id: requestId === undefined ? null : fact(requestId),
    asked_ago_ms: askedAgoMs,
    verified_ago_ms: verifiedAgoMs,
  };
}
