import { nativeToScVal, xdr } from '@stellar/stellar-sdk';
import { baseAddress, scAddressText } from '../../stellar/addresses.ts';
import { addressCredentials } from '../../stellar/values.ts';
import type { PaceDeps } from './pace.ts';
import { RpcUnavailable } from './rpc.ts';
import { authorizationsIn, nonceKey } from './transfer.ts';
import type { SignedPayment } from './payment.ts';

/** The state of a payment that the ledger shows at one look. */
export type Sight =
  | ({ readonly state: 'settled' } & Taking)
  /** It was not taken, and can never be. */
  | { readonly state: 'expired' }
  /** It was not taken up to this ledger. */
  | { readonly state: 'open'; readonly latestLedger: number };

/** Tells by which transaction a payment was taken. */
export interface Taking {
  /** The hash of the transaction that carried it; undefined if it was not found. */
  readonly transaction: string | undefined;
}

export type LookDeps = Pick<PaceDeps, 'rpc' | 'limits'>;

/**
 * Checks whether a payment was taken. It looks for the nonce of the payment's own authorization, which the network
 * stores when it is spent and keeps for at least a day. It takes nobody's word. `claimed` is the hash in a receipt. The
 * RPC is trusted for what its ledger holds, but not if its answer makes no sense. Throws an RpcUnavailable.
 */
export async function lookAt(
  deps: LookDeps,
  payment: SignedPayment,
  claimed: string | undefined,
): Promise<Sight> {
  const { latestLedger, spentIn } = await lookForNonce(deps, payment);
  if (spentIn !== undefined) {
    return { state: 'settled', transaction: await takingOf(deps, payment, spentIn, claimed) };
  }
  return latestLedger > payment.validUntilLedger ? { state: 'expired' } : { state: 'open', latestLedger };
}

/** Returns the ledger in which the nonce was spent, as of the latest ledger that the RPC has. */
async function lookForNonce(
  { rpc }: LookDeps,
  { payer, nonce }: SignedPayment,
): Promise<{ latestLedger: number; spentIn: number | undefined }> {
  const key = nonceKey(payer, nonce);
  const { entries, latestLedger } = await rpc.call('getLedgerEntries', { keys: [key] });
  // An answer that makes no sense shows neither that the payment was taken nor that it was not.
  if ((entries !== null && !Array.isArray(entries)) || !isLedger(latestLedger)) throw nonsense();
  const [entry] = (entries ?? []) as ({ key?: unknown; lastModifiedLedgerSeq?: unknown } | null)[];
  if (entry === undefined) return { latestLedger, spentIn: undefined };
  if (entry?.key !== key || !isLedger(entry.lastModifiedLedgerSeq)) throw nonsense();
  return { latestLedger, spentIn: entry.lastModifiedLedgerSeq };
}

function isLedger(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) > 0;
}

function nonsense(): RpcUnavailable {
  return new RpcUnavailable('getLedgerEntries: the answer makes no sense');
}

/**
 * Finds the transaction: the one that a receipt names, if it is right, or another. If the RPC does not answer, it stays
 * unknown, but the payment has certainly settled.
 */
async function takingOf(
  deps: LookDeps,
  payment: SignedPayment,
  ledger: number,
  claimed: string | undefined,
): Promise<string | undefined> {
  try {
    if (claimed !== undefined && (await isTakenBy(deps, payment, ledger, claimed))) return claimed;
    return await findHash(deps, payment, ledger);
  } catch (error) {
    if (error instanceof RpcUnavailable) return undefined;
    throw error;
  }
}

async function isTakenBy(
  { rpc }: LookDeps,
  payment: SignedPayment,
  ledger: number,
  hash: string,
): Promise<boolean> {
  return isTaking(await rpc.call('getTransaction', { hash }), payment, ledger);
}

/**
 * True when a transaction is the one that spent the payment's nonce: it succeeded in that very ledger and carries the
 * authorization. Carrying it alone proves nothing, since a transaction may carry entries that it does not use.
 */
function isTaking(answer: Record<string, unknown>, payment: SignedPayment, ledger: number): boolean {
  if (answer['status'] !== 'SUCCESS' || answer['ledger'] !== ledger) return false;
  return authorizationsIn(answer['envelopeXdr']).some((entry) => {
    const credentials = addressCredentials(entry);
    if (credentials?.nonce !== payment.nonce) return false;
    return scAddressText(credentials.address) === payment.payer;
  });
}

/** Searches the transfers of that ledger from the payer to the recipient. Returns undefined if none of them fits. */
async function findHash(deps: LookDeps, payment: SignedPayment, ledger: number): Promise<string | undefined> {
  const { rpc, limits } = deps;
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
    // Tokens that are not Stellar assets emit no fourth topic.
    filters: [{ type: 'contract', contractIds: [terms.asset], topics: [[...topics, '*'], topics] }],
  });
  const hashes = (Array.isArray(events) ? events : []).map(({ txHash }: { txHash?: unknown }) =>
    String(txHash),
  );
  for (const hash of [...new Set(hashes)].slice(0, limits.maxCandidates)) {
    if (await isTakenBy(deps, payment, ledger, hash)) return hash;
  }
  return undefined;
}

/** Returns an address as events name it: for a muxed address, the one behind it. */
function addressValue(address: string): xdr.ScVal {
  return nativeToScVal(baseAddress(address), { type: 'address' });
}
