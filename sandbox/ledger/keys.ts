/** Ledger keys, each with its XDR and an id to look it up by. */
import { xdr } from '@stellar/stellar-sdk';
import { addressValue, map, symbol, vec } from '../host/values.ts';
import type { Value } from '../host/values.ts';

export interface Key {
  xdr: xdr.LedgerKey;
  bytes: Uint8Array;
  id: string;
}

export function keyOf(ledgerKey: xdr.LedgerKey): Key {
  const bytes = ledgerKey.toXdr();
  return { xdr: ledgerKey, bytes, id: Buffer.from(bytes).toString('base64') };
}

export function accountKey(accountId: xdr.AccountId): Key {
  return keyOf(xdr.LedgerKey.account(new xdr.LedgerKeyAccount({ accountId })));
}

export function trustlineKey(accountId: xdr.AccountId, asset: xdr.TrustLineAsset): Key {
  return keyOf(xdr.LedgerKey.trustline(new xdr.LedgerKeyTrustLine({ accountId, asset })));
}

function dataKey(contract: xdr.ScAddress, key: Value, durability: xdr.ContractDataDurability): Key {
  return keyOf(xdr.LedgerKey.contractData(new xdr.LedgerKeyContractData({ contract, key, durability })));
}

const { persistent: PERSISTENT, temporary: TEMPORARY } = xdr.ContractDataDurability;

export function instanceKey(contract: xdr.ScAddress): Key {
  return dataKey(contract, xdr.ScVal.scvLedgerKeyContractInstance(), PERSISTENT);
}

export function codeKey(hash: Uint8Array): Key {
  return keyOf(xdr.LedgerKey.contractCode(new xdr.LedgerKeyContractCode({ hash })));
}

export function nonceKey(address: xdr.ScAddress, nonce: bigint): Key {
  return dataKey(address, xdr.ScVal.scvLedgerKeyNonce(new xdr.ScNonceKey({ nonce })), TEMPORARY);
}

/** Where an asset contract keeps the balance of a contract address. */
export function balanceKey(assetContract: xdr.ScAddress, holder: xdr.ScAddress): Key {
  return dataKey(assetContract, vec(symbol('Balance'), addressValue(holder)), PERSISTENT);
}

export function allowanceKey(assetContract: xdr.ScAddress, from: xdr.ScAddress, spender: xdr.ScAddress): Key {
  const parties = map({ from: addressValue(from), spender: addressValue(spender) });
  return dataKey(assetContract, vec(symbol('Allowance'), parties), TEMPORARY);
}

/** Whether an entry lives in the classic ledger (and is read from disk), not in contract storage. */
export function isClassic(key: xdr.LedgerKey): boolean {
  return key.type !== 'contractData' && key.type !== 'contractCode';
}

export function isTemporary(key: xdr.LedgerKey): boolean {
  return key.type === 'contractData' && key.contractData.durability === TEMPORARY;
}
