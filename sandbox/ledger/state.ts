/** The ledger's entries, and builders of new ones. Entries are immutable; a change stores a new one. */
import { xdr } from '@stellar/stellar-sdk';
import { bool, i128, i128Of, fieldOf, map, rawAccountId } from '../host/values.ts';
import type { Value } from '../host/values.ts';
import {
  BASE_RESERVE_STROOPS,
  MAX_INT64,
  MIN_PERSISTENT_TTL_LEDGERS,
  MIN_TEMPORARY_TTL_LEDGERS,
} from '../protocol.ts';
import { accountKey, isClassic, isTemporary, trustlineKey } from './keys.ts';
import type { Key } from './keys.ts';

export interface StoredEntry {
  key: Key;
  entry: xdr.LedgerEntry;
  bytes: Uint8Array;
  /** Last ledger in which the entry lives; null for classic entries, which live on. */
  liveUntilLedger: number | null;
}

/** Entries by the id of their key. */
export type LedgerState = Map<string, StoredEntry>;

/** A state to read from. */
export type LedgerView = Pick<LedgerState, 'get'>;

export function storedEntry(
  key: Key,
  data: xdr.LedgerEntryData,
  lastModifiedLedger: number,
  liveUntilLedger: number | null,
): StoredEntry {
  const entry = new xdr.LedgerEntry({
    lastModifiedLedgerSeq: lastModifiedLedger,
    data,
    ext: xdr.LedgerEntryExt.v0(),
  });
  return { key, entry, bytes: entry.toXdr(), liveUntilLedger };
}

/** The same entry with new data, or changed in another ledger. */
export function changedEntry(
  old: StoredEntry,
  change: { data?: xdr.LedgerEntryData; ledger?: number },
): StoredEntry {
  const { entry } = old;
  return storedEntry(
    old.key,
    change.data ?? entry.data,
    change.ledger ?? entry.lastModifiedLedgerSeq,
    old.liveUntilLedger,
  );
}

/** The ledger until which a new entry lives at least; null for classic entries. */
export function minLiveUntil(key: xdr.LedgerKey, ledger: number): number | null {
  if (isClassic(key)) return null;
  return ledger + (isTemporary(key) ? MIN_TEMPORARY_TTL_LEDGERS : MIN_PERSISTENT_TTL_LEDGERS) - 1;
}

/** Whether the entry is there in `ledger`: temporary entries end; the sandbox archives no persistent ones. */
export function isLive({ key, liveUntilLedger }: StoredEntry, ledger: number): boolean {
  return liveUntilLedger === null || liveUntilLedger >= ledger || !isTemporary(key.xdr);
}

export function accountEntry(accountId: xdr.AccountId, balance: bigint, ledger: number): xdr.LedgerEntryData {
  return xdr.LedgerEntryData.account(
    new xdr.AccountEntry({
      accountId,
      balance,
      seqNum: BigInt(ledger) << 32n,
      numSubEntries: 0,
      inflationDest: null,
      flags: 0,
      homeDomain: '',
      thresholds: Uint8Array.of(1, 0, 0, 0),
      signers: [],
      ext: xdr.AccountEntryExt.v0(),
    }),
  );
}

const AUTHORIZED_FLAG = 1;

export function trustlineEntry(accountId: xdr.AccountId, asset: xdr.TrustLineAsset): xdr.LedgerEntryData {
  return xdr.LedgerEntryData.trustline(
    new xdr.TrustLineEntry({
      accountId,
      asset,
      balance: 0n,
      limit: MAX_INT64,
      flags: AUTHORIZED_FLAG,
      ext: xdr.TrustLineEntryExt.v0(),
    }),
  );
}

export function isAuthorizedTrustline(trustline: xdr.TrustLineEntry): boolean {
  return (trustline.flags & AUTHORIZED_FLAG) !== 0;
}

/** Contract storage: a value under a contract data key. */
export function contractDataEntry(key: Key, val: Value): xdr.LedgerEntryData {
  if (key.xdr.type !== 'contractData') throw new Error(`not a contract data key: ${key.id}`);
  return xdr.LedgerEntryData.contractData(
    new xdr.ContractDataEntry({ ...key.xdr.contractData, val, ext: xdr.ExtensionPoint.v0() }),
  );
}

/** What an asset contract stores for a contract address that holds the asset. */
export interface ContractBalance {
  amount: bigint;
  authorized: boolean;
  clawback: boolean;
}

export function contractBalanceValue(balance: ContractBalance): Value {
  return map({
    amount: i128(balance.amount),
    authorized: bool(balance.authorized),
    clawback: bool(balance.clawback),
  });
}

export function contractBalanceOf(stored: StoredEntry | undefined): ContractBalance | undefined {
  const value = contractValueOf(stored);
  if (!value) return undefined;
  const [amount, authorized, clawback] = ['amount', 'authorized', 'clawback'].map((name) =>
    fieldOf(value, name),
  );
  return {
    amount: (amount && i128Of(amount)) ?? 0n,
    authorized: authorized?.type === 'scvBool' && authorized.b,
    clawback: clawback?.type === 'scvBool' && clawback.b,
  };
}

export function contractValueOf(stored: StoredEntry | undefined): Value | undefined {
  return stored?.entry.data.type === 'contractData' ? stored.entry.data.contractData.val : undefined;
}

export function accountOf(stored: StoredEntry | undefined): xdr.AccountEntry | undefined {
  return stored?.entry.data.type === 'account' ? stored.entry.data.account : undefined;
}

export function trustlineOf(stored: StoredEntry | undefined): xdr.TrustLineEntry | undefined {
  return stored?.entry.data.type === 'trustline' ? stored.entry.data.trustLine : undefined;
}

export function findAccount(state: LedgerView, accountId: xdr.AccountId): xdr.AccountEntry | undefined {
  return accountOf(state.get(accountKey(accountId).id));
}

export function findTrustline(
  state: LedgerState,
  accountId: xdr.AccountId,
  asset: xdr.TrustLineAsset,
): xdr.TrustLineEntry | undefined {
  return trustlineOf(state.get(trustlineKey(accountId, asset).id));
}

/** Stores a changed account. */
export function updateAccount(
  state: LedgerState,
  accountId: xdr.AccountId,
  ledger: number,
  change: (account: xdr.AccountEntry) => Partial<xdr.AccountEntry>,
): void {
  const { id } = accountKey(accountId);
  const old = state.get(id);
  const account = accountOf(old);
  if (!old || !account) throw new Error(`no account ${Buffer.from(rawAccountId(accountId)).toString('hex')}`);
  const data = xdr.LedgerEntryData.account(new xdr.AccountEntry({ ...account, ...change(account) }));
  state.set(id, changedEntry(old, { data, ledger }));
}

/** What an account must keep: two reserves for itself and one for each entry that it owns. */
export function minBalance(account: xdr.AccountEntry): bigint {
  return BigInt(2 + account.numSubEntries) * BASE_RESERVE_STROOPS;
}

/** Where an account notes when its sequence number was last used (CAP-21). */
export function sequenceExtension(
  { ext, signers }: xdr.AccountEntry,
  ledger: number,
  closedAtSeconds: number,
): xdr.AccountEntryExt {
  const none = new xdr.Liabilities({ buying: 0n, selling: 0n });
  const v3 = new xdr.AccountEntryExtensionV3({
    ext: xdr.ExtensionPoint.v0(),
    seqLedger: ledger,
    seqTime: BigInt(closedAtSeconds),
  });
  const v2 = new xdr.AccountEntryExtensionV2({
    numSponsored: 0,
    numSponsoring: 0,
    signerSponsoringIDs: signers.map(() => null),
    ext: xdr.AccountEntryExtensionV2Ext.v3(v3),
  });
  return xdr.AccountEntryExt.v1(
    new xdr.AccountEntryExtensionV1({
      liabilities: ext.type === 'v1' ? ext.v1.liabilities : none,
      ext: xdr.AccountEntryExtensionV1Ext.v2(v2),
    }),
  );
}

/**
 * A state in which every account has the extension of its sequence number. Simulation prices calls against
 * it, since an account gets its extension with its first transaction and is larger from then on.
 */
export function withAccountExtensions(state: LedgerView): LedgerView {
  return {
    get(id) {
      const found = state.get(id);
      const account = accountOf(found);
      if (!found || !account || account.ext.type === 'v1') return found;
      const extended = new xdr.AccountEntry({ ...account, ext: sequenceExtension(account, 0, 0) });
      return changedEntry(found, { data: xdr.LedgerEntryData.account(extended) });
    },
  };
}
