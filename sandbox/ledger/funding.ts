/** Makes money and accounts from nothing, for tests and the friendbot. */
import { xdr } from '@stellar/stellar-sdk';
import { MAX_INT64, STARTING_BALANCE_STROOPS } from '../protocol.ts';
import type { HeldAsset } from './assets.ts';
import type { Chain } from './chain.ts';
import { accountKey, balanceOf, keyOf, trustlineKey } from './keys.ts';
import { accountEntry, findAccount, findTrustline, newEntry, newTrustline, updateAccount } from './state.ts';
import { amountIn, contractBalance, parseAddress } from './values.ts';

/** Creates an account. Throws if the address is malformed, or the account exists. */
export function createAccount(chain: Chain, address: string, stroops: bigint): void {
  const holder = holderOf(address);
  if (holder.type !== 'scAddressTypeAccount') throw new Error(`not an account address: ${address}`);
  if (findAccount(chain.state, holder.accountId)) throw new Error(`account already exists: ${address}`);
  if (stroops < 0n || stroops > MAX_INT64) throw new Error(`balance out of range: ${stroops}`);
  addAccount(chain, holder.accountId, stroops);
}

function addAccount({ state, history }: Chain, accountId: xdr.AccountId, stroops: bigint): void {
  const ledger = history.latest().sequence;
  state.set(accountKey(accountId), newEntry(accountEntry(accountId, stroops, ledger), ledger));
}

/** Adds base units of an asset, or takes them away. Opens the account, trustline or balance entry if missing. */
export function changeBalance(chain: Chain, address: string, change: bigint, asset: HeldAsset): void {
  const holder = holderOf(address);
  if (holder.type === 'scAddressTypeContract') changeOfContract(chain, holder, change, asset);
  else changeOfAccount(chain, holder.accountId, change, asset);
}

/** Long enough that no payment has to extend it. */
const BALANCE_LIFETIME_LEDGERS = 2_073_600;

function changeOfContract(chain: Chain, holder: xdr.ScAddress, change: bigint, asset: HeldAsset): void {
  const { state, history } = chain;
  const ledger = history.latest().sequence;
  const data = balanceOf(asset.contract, holder);
  const key = keyOf(xdr.LedgerKey.contractData(data));
  const amount = heldByContract(chain, holder, asset) + change;
  if (amount < 0n) throw new Error('the balance would be negative');
  const val = contractBalance(amount);
  const entry = new xdr.ContractDataEntry({ ...data, val, ext: xdr.ExtensionPoint.v0() });
  const liveUntil = state.get(key)?.liveUntilLedger ?? ledger + BALANCE_LIFETIME_LEDGERS;
  state.set(key, newEntry(xdr.LedgerEntryData.contractData(entry), ledger, liveUntil));
}

function heldByContract({ state }: Chain, holder: xdr.ScAddress, { contract }: HeldAsset): bigint {
  const found = state.get(keyOf(xdr.LedgerKey.contractData(balanceOf(contract, holder))))?.entry.data;
  return found?.type === 'contractData' ? amountIn(found.contractData.val) : 0n;
}

function changeOfAccount(
  chain: Chain,
  accountId: xdr.AccountId,
  change: bigint,
  { trustlineAsset }: HeldAsset,
): void {
  const { state, history } = chain;
  const ledger = history.latest().sequence;
  if (!findAccount(state, accountId)) addAccount(chain, accountId, STARTING_BALANCE_STROOPS);
  if (!trustlineAsset) {
    updateAccount(state, accountId, ledger, ({ balance }) => ({ balance: inRange(balance + change) }));
    return;
  }
  const old = findTrustline(state, accountId, trustlineAsset);
  if (!old) {
    updateAccount(state, accountId, ledger, ({ numSubEntries }) => ({ numSubEntries: numSubEntries + 1 }));
  }
  const trustline = old ?? newTrustline(accountId, trustlineAsset);
  const balance = inRange(trustline.balance + change);
  const data = xdr.LedgerEntryData.trustline(new xdr.TrustLineEntry({ ...trustline, balance }));
  state.set(trustlineKey(accountId, trustlineAsset), newEntry(data, ledger));
}

function inRange(balance: bigint): bigint {
  if (balance > MAX_INT64) throw new Error('the balance would be over the limit');
  if (balance < 0n) throw new Error('the balance would be negative');
  return balance;
}

/** The balances of an address, in stroops and in base units of USDC and EURC. The sequence number is null without an account. */
export interface Balances {
  native: bigint;
  usdc: bigint;
  eurc: bigint;
  sequence: bigint | null;
}

export function balancesOf(chain: Chain, address: string): Balances {
  const { state, assets } = chain;
  const holder = holderOf(address);
  if (holder.type === 'scAddressTypeContract') {
    const held = (asset: HeldAsset): bigint => heldByContract(chain, holder, asset);
    return { native: held(assets.native), usdc: held(assets.USDC), eurc: held(assets.EURC), sequence: null };
  }
  const account = findAccount(state, holder.accountId);
  const held = ({ trustlineAsset }: HeldAsset): bigint =>
    findTrustline(state, holder.accountId, trustlineAsset!)?.balance ?? 0n;
  return {
    native: account?.balance ?? 0n,
    usdc: held(assets.USDC),
    eurc: held(assets.EURC),
    sequence: account?.seqNum ?? null,
  };
}

function holderOf(address: string): xdr.ScAddressAccount | xdr.ScAddressContract {
  const parsed = parseAddress(address);
  if (!parsed) throw new Error(`malformed address: ${address}`);
  return parsed;
}
