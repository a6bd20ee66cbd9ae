import type { JournalRow } from '../journal.ts';
import type { Arrival } from '../webhookReceiver.ts';

/** Says which outcomes of ledgers have no event, and what the receiver was told wrongly or in another order. */
export function wrongEvents(journal: readonly JournalRow[], arrivals: readonly Arrival[]): string[] {
  const taken = new Set(arrivals.filter(({ isTaken }) => isTaken).map(({ id }) => id));
  const rows = new Map(journal.map((row) => [row.hash, row]));
  const known = new Set<string>();
  return [
    ...journal.flatMap((row) => {
      const id = eventOf(row);
      const isLost = id !== undefined && row.hasEvent !== true && !taken.has(id);
      return isLost ? [`webhook: ${id} was never taken, and does not wait`] : [];
    }),
    ...arrivals.flatMap((arrival) => {
      const isNew = !known.has(arrival.id);
      known.add(arrival.id);
      return wrongArrival(arrival, rows.get(String(arrival.content.data['hash'])), isNew);
    }),
  ];
}

/** Says which events still wait. */
export function untold(journal: readonly JournalRow[]): string[] {
  return journal.filter((row) => row.hasEvent).map((row) => `webhook: ${eventOf(row)} still waits`);
}

function wrongArrival(arrival: Arrival, row: JournalRow | undefined, isNew: boolean): string[] {
  const { id, isSigned, firstInLine, content } = arrival;
  const { ledger, feeStroops } = content.data;
  const isTrue =
    row !== undefined &&
    eventOf(row) === id &&
    id.startsWith(content.type.replace('settlement.', '')) &&
    ledger === row.ledger &&
    feeStroops === row.feeChargedStroops;
  const isEarly = isNew && firstInLine !== undefined && firstInLine !== id;
  return [
    ...(isSigned ? [] : [`webhook: ${id} is not signed`]),
    ...(isTrue ? [] : [`webhook: ${id} arrived with ${JSON.stringify(content)}, not what the journal says`]),
    ...(isEarly ? [`webhook: ${id} arrived before ${firstInLine}`] : []),
  ];
}

/** Returns the event that a row must have; undefined if no ledger decided it. */
function eventOf({ status, hash }: JournalRow): string | undefined {
  if (status === 'success') return `settled_${hash}`;
  return status === 'failed' ? `failed_${hash}` : undefined;
}
