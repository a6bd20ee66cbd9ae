import type { Awaitable } from '../awaitable.ts';
import { recordOf, timeOf, type SettlementRecord } from '../records/record.ts';

/** Reports an outcome to the operator's receiver. Each transaction that a ledger took has one. */
export interface Event {
  /** Stays the same in all attempts: `settled_<hash>` or `failed_<hash>`. */
  readonly id: string;
  /** The settlement as it was when its outcome was recorded. */
  readonly record: SettlementRecord;
  /** Counts the attempts to deliver it, including the one that it was claimed for. */
  readonly attempts: number;
}

/** An event whose attempts fail. It holds up the later events of its recipient. */
export interface FailingEvent {
  readonly id: string;
  readonly record: SettlementRecord;
  readonly attempts: number;
  /** Why the last attempt failed. */
  readonly failure: string;
  /** When the next attempt is due. */
  readonly dueAt: Date;
}

/** An event that was given up, and can be sent again. */
export interface DeadLetter {
  readonly id: string;
  readonly record: SettlementRecord;
  readonly attempts: number;
  /** Why the last attempt failed. */
  readonly failure: string;
  readonly givenUpAt: Date;
}

/** Dead letters, the latest first. */
export interface DeadLetterPage {
  readonly letters: readonly DeadLetter[];
  /** Continues after this page; undefined if nothing follows. */
  readonly next: string | undefined;
}

export interface EventsState {
  readonly pending: number;
  /** When the oldest pending one was queued. */
  readonly oldestAt: Date | undefined;
  readonly dead: number;
  /** The latest failure among events that are not delivered. */
  readonly lastFailure: { readonly id: string; readonly text: string; readonly at: Date } | undefined;
}

/** Says how far the delivery of a settlement's event is. */
export type EventProgress =
  | { readonly state: 'delivered'; readonly at: Date }
  | {
      readonly state: 'pending' | 'dead';
      readonly attempts: number;
      readonly failure: string | undefined;
      /** The next attempt; undefined if it waits for earlier events of its recipient, or is dead. */
      readonly dueAt: Date | undefined;
    };

/**
 * Keeps the events that are not delivered. The events of one recipient are delivered in the order in which they were
 * recorded: only the first of them is due. Everything here throws if the store fails.
 */
export interface Events {
  /** Claims up to `limit` events that are due. Each is due again after `leaseMs`, unless its claimant says otherwise. */
  claim(limit: number, leaseMs: number): Awaitable<Event[]>;
  delivered(event: Event): Awaitable<void>;
  /** Makes an event due again after `delayMs`, unless somebody else claimed it meanwhile. */
  putOff(event: Event, failure: string, delayMs: number): Awaitable<void>;
  /** Makes an event a dead letter, unless somebody else claimed it meanwhile. */
  giveUp(event: Event, failure: string): Awaitable<void>;
  /** Returns the events that fail, the oldest first. */
  failing(limit: number): Awaitable<FailingEvent[]>;
  /** Makes an event that fails a dead letter, whoever has claimed it. Returns false if there is no such event. */
  giveUpFailing(id: string): Awaitable<boolean>;
  /** Returns undefined if `after` is not the `next` of a page. */
  deadLetters(limit: number, after?: string): Awaitable<DeadLetterPage | undefined>;
  /** Queues a dead letter behind the other events of its recipient. Returns false if there is no such letter. */
  retry(id: string): Awaitable<boolean>;
  /** Deletes a dead letter. Returns false if there is no such letter. */
  discard(id: string): Awaitable<boolean>;
  state(): Awaitable<EventsState>;
  /** Returns undefined if the settlement has no event. */
  ofSettlement(hash: string): Awaitable<EventProgress | undefined>;
}

/** The failure of events that had no room. */
export const NO_ROOM = 'too many events were waiting';
/** Logged when there are such events. */
export const EVENTS_GIVEN_UP =
  'webhooks are given up: too many waited for the receiver, so the oldest are now dead letters';

type Row = Readonly<Record<string, unknown>>;

export const eventOf = (row: Row): Event => ({
  id: String(row['id']),
  record: storedRecord(row),
  attempts: Number(row['attempts']),
});

export const failingEventOf = (row: Row): FailingEvent => ({
  id: String(row['id']),
  record: storedRecord(row),
  attempts: Number(row['attempts']),
  failure: String(row['failure']),
  dueAt: timeOf(row['due_at'])!,
});

/** Turns rows into a page: `limit` of them, and one more if others follow. */
export function pageOf(rows: readonly Row[], limit: number): DeadLetterPage {
  const letters = rows.slice(0, limit).map((row) => ({
    id: String(row['id']),
    record: storedRecord(row),
    attempts: Number(row['attempts']),
    failure: String(row['failure']),
    givenUpAt: timeOf(row['given_up_at'])!,
  }));
  return { letters, next: rows.length > limit ? String(rows[limit - 1]!['seq']) : undefined };
}

/** Returns the number of the letter after which a page starts; undefined if the text is not one of ours. */
export function startOf(after: string | undefined): string | undefined {
  if (after === undefined) return String(Number.MAX_SAFE_INTEGER);
  return /^[0-9]{1,15}$/.test(after) ? after : undefined;
}

export function stateOf(counts: Row, latest: Row | undefined): EventsState {
  return {
    pending: Number(counts['pending']),
    oldestAt: timeOf(counts['oldest_at']),
    dead: Number(counts['dead']),
    lastFailure: latest && {
      id: String(latest['id']),
      text: String(latest['failure']),
      at: timeOf(latest['failed_at'])!,
    },
  };
}

/** Reads the row of a settlement's event, or else when it was delivered. */
export function progressOf(row: Row | undefined, toldAt: unknown): EventProgress | undefined {
  const at = timeOf(toldAt);
  if (row === undefined) return at && { state: 'delivered', at };
  return {
    state: row['given_up_at'] === null ? 'pending' : 'dead',
    attempts: Number(row['attempts']),
    failure: (row['failure'] as string | null) ?? undefined,
    dueAt: timeOf(row['due_at']),
  };
}

const storedRecord = (row: Row): SettlementRecord => recordOf(JSON.parse(String(row['record'])) as Row);
