/** Builds ledger keys. An entry is found by the base64 of its key's XDR. */
import { xdr } from '@stellar/stellar-sdk';

/** Base64. */
export type Key = string;

export function keyOf(ledgerKey: xdr.LedgerKey): Key {
  return ledgerKey.toXdr('base64');
}

export function accountKey(accountId: xdr.AccountId): Key {
  return keyOf(xdr.LedgerKey.account(new xdr.LedgerKeyAccount({ accountId })));
}

export function trustlineKey(accountId: xdr.AccountId, asset: xdr.TrustLineAsset): Key {
  return keyOf(xdr.LedgerKey.trustline(new xdr.LedgerKeyTrustLine({ accountId, asset })));
}

/** Returns the key under which an asset contract keeps the balance of a contract. */
export function balanceOf(contract: xdr.ScAddress, holder: xdr.ScAddress): xdr.LedgerKeyContractData {
  const key = xdr.ScVal.scvVec([xdr.ScVal.scvSymbol('Balance'), xdr.ScVal.scvAddress(holder)]);
  return new xdr.LedgerKeyContractData({
    contract,
    key,
    durability: xdr.ContractDataDurability.persistent,
  });
}

const CONTRACT_DATA = 6;
const TEMPORARY = 0;

/** Reads the bytes, since the SDK may not know what is in the key: the type comes first, the durability last. */
export function isTemporary(key: Key): boolean {
  const bytes = Buffer.from(key, 'base64');
  return bytes.readUInt32BE(0) === CONTRACT_DATA && bytes.readUInt32BE(bytes.length - 4) === TEMPORARY;
}

/** True when an entry is in the classic ledger (and is read from disk), not in contract storage. */
export function isClassic(key: xdr.LedgerKey): boolean {
  return key.type !== 'contractData' && key.type !== 'contractCode';
}
