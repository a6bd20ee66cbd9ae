/** Holds the ledger's entries, and builds new ones. Entries are immutable: a change stores a new one. */
import { xdr } from '@stellar/stellar-sdk';
import { BASE_RESERVE_STROOPS, MAX_INT64 } from '../protocol.ts';
import { accountKey, isTemporary, trustlineKey, type Key } from './keys.ts';
import { rawAccountId } from './values.ts';

export interface StoredEntry {
  /** The bytes that the ledger holds: the SDK may not be able to read what a contract stored. */
  bytes: Buffer;
  /** Decoded when it is first read. */
  readonly entry: xdr.LedgerEntry;
  /** The last ledger in which the entry lives; null for classic entries, which live on. */
  liveUntilLedger: number | null;
}

export type LedgerState = Map<Key, StoredEntry>;

/** A state to read from. */
export type LedgerView = Pick<LedgerState, 'get'>;

/** Returns an entry's XDR, as changed in a ledger. */
export function storedEntry(
  bytes: Uint8Array,
  lastModifiedLedger: number,
  liveUntilLedger: number | null,
): StoredEntry {
  const own = Buffer.from(bytes);
  own.writeUInt32BE(lastModifiedLedger);
  let decoded: xdr.LedgerEntry | undefined;
  return {
    bytes: own,
    liveUntilLedger,
    get entry() {
      return (decoded ??= xdr.LedgerEntry.fromXdr(own));
    },
  };
}

export function newEntry(
  data: xdr.LedgerEntryData,
  ledger: number,
  liveUntilLedger: number | null = null,
): StoredEntry {
  const ext = xdr.LedgerEntryExt.v0();
  const entry = new xdr.LedgerEntry({ lastModifiedLedgerSeq: ledger, data, ext });
  return storedEntry(entry.toXdr(), ledger, liveUntilLedger);
}

/** True when the entry exists in `ledger`: temporary entries expire, persistent ones can be restored. */
export function isLive(key: Key, { liveUntilLedger }: StoredEntry, ledger: number): boolean {
  return liveUntilLedger === null || liveUntilLedger >= ledger || !isTemporary(key);
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

export function newTrustline(accountId: xdr.AccountId, asset: xdr.TrustLineAsset): xdr.TrustLineEntry {
  return new xdr.TrustLineEntry({
    accountId,
    asset,
    balance: 0n,
    limit: MAX_INT64,
    flags: AUTHORIZED_FLAG,
    ext: xdr.TrustLineEntryExt.v0(),
  });
}

export function findAccount(state: LedgerView, accountId: xdr.AccountId): xdr.AccountEntry | undefined {
  const data = state.get(accountKey(accountId))?.entry.data;
  return data?.type === 'account' ? data.account : undefined;
}

export function findTrustline(
  state: LedgerView,
  accountId: xdr.AccountId,
  asset: xdr.TrustLineAsset,
): xdr.TrustLineEntry | undefined {
  const data = state.get(trustlineKey(accountId, asset))?.entry.data;
  return data?.type === 'trustline' ? data.trustLine : undefined;
}

/** Stores a changed account. */
export function updateAccount(
  state: LedgerState,
  accountId: xdr.AccountId,
  ledger: number,
  change: (account: xdr.AccountEntry) => Partial<xdr.AccountEntry>,
): void {
  const account = findAccount(state, accountId);
  if (!account) throw new Error(`no account ${Buffer.from(rawAccountId(accountId)).toString('hex')}`);
  const data = xdr.LedgerEntryData.account(new xdr.AccountEntry({ ...account, ...change(account) }));
  state.set(accountKey(accountId), newEntry(data, ledger));
}

/** Returns what an account must keep: two reserves for itself and one for each entry that it owns. */
export function minBalance(account: xdr.AccountEntry): bigint {
  return BigInt(2 + account.numSubEntries) * BASE_RESERVE_STROOPS;
}

/** Returns the extension in which an account notes when its sequence number was last used (CAP-21). */
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
