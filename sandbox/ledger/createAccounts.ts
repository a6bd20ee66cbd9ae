/** Applies the one classic operation of this network: new accounts, paid for by the account that makes them. */
import { xdr } from '@stellar/stellar-sdk';
import { BASE_RESERVE_STROOPS } from '../protocol.ts';
import { accountKey } from './keys.ts';
import { entryCreated, entryUpdated } from './meta.ts';
import type { AppliedOperations } from './results.ts';
import {
  accountEntry,
  findAccount,
  minBalance,
  newEntry,
  type LedgerState,
  type LedgerView,
  type StoredEntry,
} from './state.ts';

/** Two reserves, which an account without other entries must keep. */
const LEAST_BALANCE_STROOPS = 2n * BASE_RESERVE_STROOPS;

type Creation = Pick<xdr.CreateAccountOp, 'destination' | 'startingBalance'>;

/** Makes all of the accounts or, if one cannot be made, none. Each has its result; the changes are by operation. */
export function createAccounts(
  state: LedgerState,
  source: xdr.AccountId,
  creations: readonly Creation[],
  ledger: number,
): AppliedOperations & { changes: Buffer[][] } {
  const overlay = new Map<string, StoredEntry>();
  const changes: Buffer[][] = [];
  const results = creations.map((creation) => {
    const view = { get: (key: string) => overlay.get(key) ?? state.get(key) };
    const refused = refusalOf(view, source, creation);
    if (refused) return refused;
    changes.push(store(overlay, view, source, creation, ledger));
    return xdr.CreateAccountResult.createAccountSuccess();
  });
  const ok = changes.length === creations.length;
  if (ok) for (const [key, entry] of overlay) state.set(key, entry);
  return {
    ok,
    operations: results.map((result) =>
      xdr.OperationResult.opInner(xdr.OperationResultTr.createAccount(result)),
    ),
    changes: ok ? changes : [],
  };
}

function refusalOf(
  view: LedgerView,
  source: xdr.AccountId,
  { destination, startingBalance }: Creation,
): xdr.CreateAccountResult | undefined {
  const creator = findAccount(view, source)!;
  if (findAccount(view, destination)) return xdr.CreateAccountResult.createAccountAlreadyExist();
  if (startingBalance < LEAST_BALANCE_STROOPS) return xdr.CreateAccountResult.createAccountLowReserve();
  if (creator.balance - minBalance(creator) < startingBalance)
    return xdr.CreateAccountResult.createAccountUnderfunded();
  return undefined;
}

function store(
  overlay: LedgerState,
  view: LedgerView,
  source: xdr.AccountId,
  { destination, startingBalance }: Creation,
  ledger: number,
): Buffer[] {
  const creatorKey = accountKey(source);
  const before = view.get(creatorKey)!;
  const creator = findAccount(view, source)!;
  const data = xdr.LedgerEntryData.account(
    new xdr.AccountEntry({ ...creator, balance: creator.balance - startingBalance }),
  );
  const after = newEntry(data, ledger);
  const key = accountKey(destination);
  const created = newEntry(accountEntry(destination, startingBalance, ledger), ledger);
  overlay.set(creatorKey, after);
  overlay.set(key, created);
  return [...entryUpdated(before, after), entryCreated(created)];
}
