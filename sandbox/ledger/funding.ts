/** Money and accounts out of thin air: the first ledger, and what tests and the friendbot ask for. */
import { StrKey, xdr } from '@stellar/stellar-sdk';
import {
  CONTRACT_ACCOUNT_CODE,
  CONTRACT_ACCOUNT_CODE_HASH,
  contractAccountInstance,
} from '../host/contractAccount.ts';
import { contractAddress, parseAddress } from '../host/values.ts';
import {
  MAX_ENTRY_TTL_LEDGERS,
  MAX_INT64,
  NETWORK_ID,
  sha256,
  STARTING_BALANCE_STROOPS,
} from '../protocol.ts';
import { ASSETS, assetInstance, NATIVE, USDC } from './assets.ts';
import type { Asset } from './assets.ts';
import { accountKey, balanceKey, codeKey, instanceKey, trustlineKey } from './keys.ts';
import type { Key } from './keys.ts';
import {
  accountEntry,
  changedEntry,
  contractBalanceOf,
  contractBalanceValue,
  contractDataEntry,
  findAccount,
  findTrustline,
  minLiveUntil,
  storedEntry,
  trustlineEntry,
  trustlineOf,
  updateAccount,
} from './state.ts';
import type { LedgerState } from './state.ts';

/** Instances of the asset contracts outlive any run of the sandbox. */
const INSTANCE_TTL_LEDGERS = 3_000_000;

/** The first ledger: the asset contracts and the USDC issuer's account. */
export function genesisState(ledger: number): LedgerState {
  const state: LedgerState = new Map();
  for (const asset of ASSETS) {
    if (asset.credit) addAccount(state, asset.credit.issuer, STARTING_BALANCE_STROOPS, ledger);
    addInstance(state, asset.contract, assetInstance(asset), ledger, INSTANCE_TTL_LEDGERS);
  }
  return state;
}

function addInstance(
  state: LedgerState,
  contract: xdr.ScAddress,
  instance: xdr.ScVal,
  ledger: number,
  ttlLedgers: number,
): void {
  const key = instanceKey(contract);
  state.set(key.id, storedEntry(key, contractDataEntry(key, instance), ledger, ledger + ttlLedgers));
}

function addAccount(state: LedgerState, accountId: xdr.AccountId, stroops: bigint, ledger: number): void {
  const key = accountKey(accountId);
  state.set(key.id, storedEntry(key, accountEntry(accountId, stroops, ledger), ledger, null));
}

/** Throws if the address is malformed, or the account exists. */
export function createAccount(state: LedgerState, address: string, stroops: bigint, ledger: number): void {
  const parsed = addressOf(address);
  if (parsed.type !== 'scAddressTypeAccount') throw new Error(`not an account address: ${address}`);
  if (findAccount(state, parsed.accountId)) throw new Error(`account already exists: ${address}`);
  if (stroops < 0n || stroops > MAX_INT64) throw new Error(`balance out of range: ${stroops}`);
  addAccount(state, parsed.accountId, stroops, ledger);
}

/** Adds base units of an asset. Opens the account, trustline or balance entry when missing. */
export function mint(
  state: LedgerState,
  address: string,
  amount: bigint,
  asset: Asset,
  ledger: number,
): void {
  if (amount < 0n) throw new Error(`amount out of range: ${amount}`);
  changeBalance(state, address, amount, asset, ledger);
}

/** Takes base units of an asset away. Throws where the holder has less. */
export function burn(
  state: LedgerState,
  address: string,
  amount: bigint,
  asset: Asset,
  ledger: number,
): void {
  if (amount < 0n) throw new Error(`amount out of range: ${amount}`);
  changeBalance(state, address, -amount, asset, ledger);
}

function changeBalance(
  state: LedgerState,
  address: string,
  amount: bigint,
  asset: Asset,
  ledger: number,
): void {
  const holder = addressOf(address);
  if (holder.type === 'scAddressTypeContract') changeOfContract(state, holder, amount, asset, ledger);
  else if (holder.type === 'scAddressTypeAccount')
    changeOfAccount(state, holder.accountId, amount, asset, ledger);
}

function changeOfContract(
  state: LedgerState,
  holder: xdr.ScAddress,
  amount: bigint,
  asset: Asset,
  ledger: number,
): void {
  const key = balanceKey(asset.contract, holder);
  const balance = contractBalanceOf(state.get(key.id)) ?? { amount: 0n, authorized: true, clawback: false };
  if (balance.amount + amount < 0n) throw new Error('the balance would be negative');
  const value = contractBalanceValue({ ...balance, amount: balance.amount + amount });
  putEntry(state, key, contractDataEntry(key, value), ledger);
}

function changeOfAccount(
  state: LedgerState,
  accountId: xdr.AccountId,
  amount: bigint,
  { credit }: Asset,
  ledger: number,
): void {
  if (!findAccount(state, accountId)) addAccount(state, accountId, STARTING_BALANCE_STROOPS, ledger);
  if (!credit) {
    updateAccount(state, accountId, ledger, ({ balance }) => ({ balance: inRange(balance + amount) }));
    return;
  }
  const key = trustlineKey(accountId, credit.trustlineAsset);
  if (!state.has(key.id)) {
    updateAccount(state, accountId, ledger, ({ numSubEntries }) => ({ numSubEntries: numSubEntries + 1 }));
    putEntry(state, key, trustlineEntry(accountId, credit.trustlineAsset), ledger);
  }
  const trustline = trustlineOf(state.get(key.id));
  if (!trustline) return;
  const changed = new xdr.TrustLineEntry({ ...trustline, balance: inRange(trustline.balance + amount) });
  putEntry(state, key, xdr.LedgerEntryData.trustline(changed), ledger);
}

function inRange(balance: bigint): bigint {
  if (balance > MAX_INT64) throw new Error('the balance would be over the limit');
  if (balance < 0n) throw new Error('the balance would be negative');
  return balance;
}

function putEntry(state: LedgerState, key: Key, data: xdr.LedgerEntryData, ledger: number): void {
  const old = state.get(key.id);
  const stored = old
    ? changedEntry(old, { data, ledger })
    : storedEntry(key, data, ledger, lifeOf(key, ledger));
  state.set(key.id, stored);
}

/** What is minted lives the least lifetime from the ledger after. */
function lifeOf(key: Key, ledger: number): number | null {
  return minLiveUntil(key.xdr, ledger + 1);
}

/** Stroops, base units of USDC, and the sequence number: null without an account. */
export function balancesOf(
  state: LedgerState,
  address: string,
): { native: bigint; usdc: bigint; sequence: bigint | null } {
  const holder = addressOf(address);
  if (holder.type !== 'scAddressTypeAccount') {
    const amount = (asset: Asset) =>
      contractBalanceOf(state.get(balanceKey(asset.contract, holder).id))?.amount ?? 0n;
    return { native: amount(NATIVE), usdc: amount(USDC), sequence: null };
  }
  const account = findAccount(state, holder.accountId);
  const trustline = USDC.credit && findTrustline(state, holder.accountId, USDC.credit.trustlineAsset);
  return {
    native: account?.balance ?? 0n,
    usdc: trustline?.balance ?? 0n,
    sequence: account?.seqNum ?? null,
  };
}

/** Opens the contract account of an ed25519 key, when missing, and returns its address. */
export function openContractAccount(state: LedgerState, publicKey: Uint8Array, ledger: number): string {
  const id = sha256(Buffer.concat([NETWORK_ID, CONTRACT_ACCOUNT_CODE_HASH, publicKey]));
  const contract = contractAddress(id);
  const code = codeKey(CONTRACT_ACCOUNT_CODE_HASH);
  if (!state.has(code.id)) {
    const data = new xdr.ContractCodeEntry({
      ext: xdr.ContractCodeEntryExt.v0(),
      hash: CONTRACT_ACCOUNT_CODE_HASH,
      code: CONTRACT_ACCOUNT_CODE,
    });
    state.set(
      code.id,
      storedEntry(code, xdr.LedgerEntryData.contractCode(data), ledger, ledger + MAX_ENTRY_TTL_LEDGERS),
    );
  }
  if (!state.has(instanceKey(contract).id)) {
    addInstance(state, contract, contractAccountInstance(publicKey), ledger, MAX_ENTRY_TTL_LEDGERS);
  }
  return StrKey.encodeContract(id);
}

function addressOf(address: string): xdr.ScAddress {
  const parsed = parseAddress(address);
  if (!parsed) throw new Error(`malformed address: ${address}`);
  return parsed;
}
