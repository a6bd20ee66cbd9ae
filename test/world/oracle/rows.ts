import type { JournalRow } from '../journal.ts';
import type { LedgerTransaction } from '../ledger.ts';
import type { Transaction } from '../transaction.ts';

/** Says where the journal lacks what was `sent`, or contradicts the ledger about it. Rows may be open. */
export function wrongRows(
  sent: Iterable<Pick<Transaction, 'hash' | 'authorization' | 'submitter'>>,
  ledger: readonly LedgerTransaction[],
  journal: readonly JournalRow[],
): string[] {
  const onLedger = new Map(ledger.map((transaction) => [transaction.hash, transaction]));
  const journaled = new Map(journal.map((row) => [row.hash, row]));
  return [
    ...[...sent].flatMap((one) => missingRow(one, journaled.get(one.hash))),
    ...journal.flatMap((row) => untrueRow(row, onLedger.get(row.hash))),
    ...journal.flatMap((row) => wrongCount(row, onLedger.get(row.hash))),
    ...wrongTotal(journal),
  ];
}

/** Says what is left to be done: when all validities have passed and the service has run again, nothing may be. */
export function unfinished(journal: readonly JournalRow[]): string[] {
  const open = journal.filter(({ status }) => status === null);
  const due = journal.filter(({ isListingDue }) => isListingDue);
  return [
    ...open.map(({ hash }) => `journal: ${hash} is still open`),
    ...due.map(({ hash }) => `journal: ${hash} still has a listing due`),
  ];
}

function missingRow(
  { hash, authorization, submitter }: Pick<Transaction, 'hash' | 'authorization' | 'submitter'>,
  row: JournalRow | undefined,
): string[] {
  if (row === undefined) return [`journal: ${hash} was sent without a row`];
  const isSame = row.authorization === authorization && row.submitter === submitter;
  return isSame ? [] : [`journal: ${hash} names another authorization or submitter than was sent`];
}

function untrueRow(row: JournalRow, found: LedgerTransaction | undefined): string[] {
  const { hash, status, ledger, feeChargedStroops, bidStroops } = row;
  if (found !== undefined && found.feeChargedStroops > bidStroops)
    return [`journal: ${hash} was charged ${found.feeChargedStroops}, more than its bid ${bidStroops}`];
  if (status === null) return [];
  // The network remembers all of its ledgers: nothing is forgotten.
  if (found === undefined)
    return status === 'never' || status === 'rejected' ? [] : [`journal: ${hash} is ${status}, on no ledger`];
  const isTrue =
    status === found.status && ledger === found.ledger && feeChargedStroops === found.feeChargedStroops;
  if (isTrue) return [];
  const said = `${status} in ${ledger} for ${feeChargedStroops}`;
  const is = `${found.status} in ${found.ledger} for ${found.feeChargedStroops}`;
  return [`journal: ${hash} is ${said}, on the ledger ${is}`];
}

/** Says where an entry counts for another fee than was charged. While it is open, its bid counts. */
function wrongCount(
  { hash, status, bidStroops, countedStroops }: JournalRow,
  found: LedgerTransaction | undefined,
): string[] {
  const stroops = status === null ? bidStroops : (found?.feeChargedStroops ?? 0);
  return countedStroops === stroops
    ? []
    : [`journal: ${hash} counts for ${countedStroops}, not for ${stroops}`];
}

/** Says if the total differs from what its entries count for. */
function wrongTotal(journal: readonly JournalRow[]): string[] {
  const sum = journal.reduce((stroops, { countedStroops }) => stroops + countedStroops, 0);
  const total = journal[0]?.totalStroops ?? sum;
  return total === sum ? [] : [`journal: the entries count for ${sum}, but the total is ${total}`];
}
