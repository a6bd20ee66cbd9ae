import { nativeToScVal, StrKey, xdr } from '@stellar/stellar-sdk';
import { WALLET_LIMITS } from './limits.ts';
import { RpcUnavailable } from './rpc.ts';
import type { Rpc } from './rpc.ts';
import { authorizationsIn, credentialsOf, nonceKey } from './transfer.ts';
import type { SignedPayment } from './wallet.ts';

/** What the ledger shows of a payment at one look. */
export type Sight =
  /** It was taken. The hash is that of the transaction that carried it, null where it was not found. */
  | { readonly state: 'settled'; readonly transaction: string | null }
  /** It was not taken, and can never be. */
  | { readonly state: 'expired' }
  /** It was not taken up to this ledger. */
  | { readonly state: 'open'; readonly latestLedger: number };

/**
 * Looks whether a payment was taken: by the nonce of its own authorization, which the network stores when it is spent
 * and keeps for a day at least, and not by anything that anybody says. `claimed` is the hash of a receipt, and comes
 * back only where it is right. Throws an RpcUnavailable.
 */
export async function lookAt(rpc: Rpc, payment: SignedPayment, claimed: string | undefined): Promise<Sight> {
  const { latestLedger, spentIn } = await lookForNonce(rpc, payment);
  if (spentIn !== undefined) {
    return { state: 'settled', transaction: await hashOf(rpc, payment, spentIn, claimed) };
  }
  return latestLedger >= payment.validUntilLedger ? { state: 'expired' } : { state: 'open', latestLedger };
}

/** The ledger in which the nonce was spent, as of the latest ledger that the RPC has. */
async function lookForNonce(
  rpc: Rpc,
  { payer, nonce }: SignedPayment,
): Promise<{ latestLedger: number; spentIn: number | undefined }> {
  const answer = await rpc.call('getLedgerEntries', { keys: [nonceKey(payer, nonce)] });
  const entries = (Array.isArray(answer['entries']) ? answer['entries'] : []) as {
    lastModifiedLedgerSeq?: unknown;
  }[];
  const [entry] = entries;
  return {
    // A number that makes no sense proves no expiry.
    latestLedger: Number.isSafeInteger(answer['latestLedger']) ? (answer['latestLedger'] as number) : 0,
    spentIn: entry === undefined ? undefined : Number(entry.lastModifiedLedgerSeq),
  };
}

/** Of the transaction that took it. What the RPC does not answer is not known; that the payment settled stays certain. */
async function hashOf(
  rpc: Rpc,
  payment: SignedPayment,
  ledger: number,
  claimed: string | undefined,
): Promise<string | null> {
  try {
    const isRight = claimed !== undefined && (await carries(rpc, payment, ledger, claimed));
    return isRight ? claimed : await findHash(rpc, payment, ledger);
  } catch (error) {
    if (error instanceof RpcUnavailable) return null;
    throw error;
  }
}

/**
 * Whether a transaction is the one that spent the payment's nonce: it succeeded in that very ledger and carries the
 * authorization. To carry it alone proves nothing, since a transaction may carry entries that it does not use.
 */
async function carries(rpc: Rpc, payment: SignedPayment, ledger: number, hash: string): Promise<boolean> {
  const answer = await rpc.call('getTransaction', { hash });
  if (answer['status'] !== 'SUCCESS' || answer['ledger'] !== ledger) return false;
  return authorizationsIn(answer['envelopeXdr']).some((entry) => {
    const { address, nonce } = credentialsOf(entry) ?? {};
    return address === payment.payer && nonce === payment.nonce;
  });
}

/** By the transfers of that ledger from the payer to the recipient; null where none of them fits. */
async function findHash(rpc: Rpc, payment: SignedPayment, ledger: number): Promise<string | null> {
  const { payer, terms } = payment;
  const parties = [
    nativeToScVal('transfer', { type: 'symbol' }),
    addressValue(payer),
    addressValue(terms.payTo),
  ];
  const topics = parties.map((topic) => topic.toXdr('base64'));
  const { events } = await rpc.call('getEvents', {
    startLedger: ledger,
    endLedger: ledger + 1,
    // Tokens that are no Stellar assets emit no fourth topic.
    filters: [{ type: 'contract', contractIds: [terms.asset], topics: [[...topics, '*'], topics] }],
  });
  const hashes = (Array.isArray(events) ? events : []).map(({ txHash }: { txHash?: unknown }) =>
    String(txHash),
  );
  for (const hash of [...new Set(hashes)].slice(0, WALLET_LIMITS.maxCandidates)) {
    if (await carries(rpc, payment, ledger, hash)) return hash;
  }
  return null;
}

/** As events name an address: for a muxed one the account behind it. */
function addressValue(address: string): xdr.ScVal {
  const isMuxed = StrKey.isValidMed25519PublicKey(address);
  const account = isMuxed
    ? StrKey.encodeEd25519PublicKey(StrKey.decodeMed25519PublicKey(address).subarray(0, 32))
    : address;
  return nativeToScVal(account, { type: 'address' });
}
