/**
 * Balances of an asset as its contract sees them: an account's trustline, or the account itself for XLM;
 * an entry of the asset contract's storage for a contract address. CAP-46-06.
 */
import { xdr } from '@stellar/stellar-sdk';
import type { Asset } from '../ledger/assets.ts';
import { accountKey, balanceKey, trustlineKey } from '../ledger/keys.ts';
import {
  accountEntry,
  accountOf,
  contractBalanceOf,
  contractBalanceValue,
  contractDataEntry,
  isAuthorizedTrustline,
  minBalance,
  trustlineOf,
} from '../ledger/state.ts';
import type { ContractBalance } from '../ledger/state.ts';
import { BASE_RESERVE_STROOPS, MAX_INT128, MAX_INT64 } from '../protocol.ts';
import { readAccount } from './accountAuth.ts';
import { contractError, errorOf, HostError } from './errors.ts';
import type { Host } from './host.ts';
import { accountAddress, addressValue, i128, i64, rawAccountId, sameBytes } from './values.ts';
import type { Holder } from './values.ts';

/** Flags of an issuer: holders need its consent; it may take balances back. */
const AUTH_REQUIRED_FLAG = 1;
const CLAWBACK_ENABLED_FLAG = 8;

export interface TokenCall {
  host: Host;
  asset: Asset;
  requireAuth(address: xdr.ScAddress): void;
}

export function isIssuer({ asset }: TokenCall, holder: Holder): boolean {
  return (
    asset.credit !== null &&
    holder.type === 'scAddressTypeAccount' &&
    sameBytes(rawAccountId(holder.accountId), rawAccountId(asset.credit.issuer))
  );
}

/** Balance in base units; the issuer's is unlimited. */
export function balanceOf(call: TokenCall, holder: Holder): bigint {
  const { host, asset } = call;
  if (holder.type === 'scAddressTypeContract') return readContractBalance(call, holder)?.amount ?? 0n;
  if (isIssuer(call, holder)) return MAX_INT64;
  if (asset.credit) return readTrustline(call, holder).balance;
  return (accountOf(host.read(accountKey(holder.accountId))) ?? failAccountMissing(host, holder)).balance;
}

export function isAuthorized(call: TokenCall, holder: Holder): boolean {
  if (holder.type === 'scAddressTypeContract') {
    return readContractBalance(call, holder)?.authorized ?? !issuerHasFlag(call, AUTH_REQUIRED_FLAG);
  }
  return !call.asset.credit || isIssuer(call, holder) || isAuthorizedTrustline(readTrustline(call, holder));
}

export function spend(call: TokenCall, holder: Holder, amount: bigint): void {
  requireAuthorized(call, holder);
  if (holder.type === 'scAddressTypeContract') spendFromContract(call, holder, amount);
  else changeAccountBalance(call, holder, -asInt64(call.host, amount, 'spent'));
}

export function receive(call: TokenCall, holder: Holder, amount: bigint): void {
  requireAuthorized(call, holder);
  if (holder.type === 'scAddressTypeContract') receiveIntoContract(call, holder, amount);
  else changeAccountBalance(call, holder, asInt64(call.host, amount, 'received'));
}

function requireAuthorized(call: TokenCall, holder: Holder): void {
  if (!isAuthorized(call, holder))
    call.host.fail(contractError('balanceDeauthorized'), 'balance is deauthorized');
}

function asInt64(host: Host, amount: bigint, verb: string): bigint {
  if (amount > MAX_INT64) host.fail(contractError('overflow'), `${verb} amount is too large for an i64`);
  return amount;
}

function issuerHasFlag({ host, asset }: TokenCall, flag: number): boolean {
  return asset.credit !== null && (readAccount(host, asset.credit.issuer).flags & flag) !== 0;
}

function spendFromContract(call: TokenCall, holder: Holder, amount: bigint): void {
  const balance = readContractBalance(call, holder);
  const error = contractError('balance');
  if (!balance) {
    if (amount > 0n) call.host.fail(error, 'zero balance is not sufficient to spend', i128(amount));
    return;
  }
  if (balance.amount < amount) {
    call.host.fail(error, 'balance is not sufficient to spend', contractBalanceValue(balance), i128(amount));
  }
  writeContractBalance(call, holder, { ...balance, amount: balance.amount - amount });
}

function receiveIntoContract(call: TokenCall, holder: Holder, amount: bigint): void {
  const balance = readContractBalance(call, holder) ?? {
    amount: 0n,
    authorized: true,
    clawback: issuerHasFlag(call, CLAWBACK_ENABLED_FLAG),
  };
  const total = balance.amount + amount;
  if (total > MAX_INT128) call.host.fail(contractError('overflow'), 'balance overflow in receive_balance');
  writeContractBalance(call, holder, { ...balance, amount: total });
}

function readContractBalance({ host, asset }: TokenCall, holder: Holder): ContractBalance | undefined {
  return contractBalanceOf(host.read(balanceKey(asset.contract, holder)));
}

function writeContractBalance({ host, asset }: TokenCall, holder: Holder, balance: ContractBalance): void {
  const key = balanceKey(asset.contract, holder);
  host.write(key, contractDataEntry(key, contractBalanceValue(balance)));
}

function changeAccountBalance(call: TokenCall, holder: xdr.ScAddressAccount, change: bigint): void {
  if (!call.asset.credit) changeLumens(call.host, holder, change);
  else if (!isIssuer(call, holder)) changeTrustline(call, holder, change);
}

function changeTrustline(call: TokenCall, holder: xdr.ScAddressAccount, change: bigint): void {
  const trustline = readTrustline(call, holder);
  const balance = changedBalance(call.host, trustline.balance, change, 0n, trustline.limit);
  const changed = new xdr.TrustLineEntry({ ...trustline, balance });
  call.host.write(trustlineKey(holder.accountId, trustline.asset), xdr.LedgerEntryData.trustline(changed));
}

function readTrustline({ host, asset }: TokenCall, { accountId }: xdr.ScAddressAccount): xdr.TrustLineEntry {
  if (!asset.credit) throw new HostError(errorOf('Storage', 'InternalError'));
  const found = trustlineOf(host.read(trustlineKey(accountId, asset.credit.trustlineAsset)));
  if (found) return found;
  const who = addressValue(accountAddress(accountId));
  return host.fail(contractError('trustlineMissing'), 'trustline entry is missing for account', who);
}

/** Changes an account's XLM. A payment to an address without an account creates it. */
function changeLumens(host: Host, holder: xdr.ScAddressAccount, change: bigint): void {
  const key = accountKey(holder.accountId);
  const account = accountOf(host.read(key));
  if (!account) {
    if (change <= 0n) failAccountMissing(host, holder);
    const least = 2n * BASE_RESERVE_STROOPS;
    if (change < least) {
      const message = 'transfer amount is below minimum balance for new account';
      host.fail(contractError('insufficientReserve'), message, i64(change), i64(least));
    }
    return host.write(key, accountEntry(holder.accountId, change, host.ledger));
  }
  const balance = changedBalance(host, account.balance, change, minBalance(account), MAX_INT64);
  host.write(key, xdr.LedgerEntryData.account(new xdr.AccountEntry({ ...account, balance })));
}

function failAccountMissing(host: Host, holder: Holder): never {
  return host.fail(contractError('accountMissing'), 'account entry is missing', addressValue(holder));
}

function changedBalance(host: Host, balance: bigint, change: bigint, least: bigint, most: bigint): bigint {
  const changed = balance + change;
  if (changed > MAX_INT64) host.fail(contractError('balance'), 'resulting balance overflow');
  if (changed < least || changed > most) {
    const message = 'resulting balance is not within the allowed range';
    host.fail(contractError('balance'), message, i64(least), i64(changed), i64(most));
  }
  return changed;
}
