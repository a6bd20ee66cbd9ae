import { hash } from 'node:crypto';
import { canonicalJson } from '../catalog/index.ts';
import type { FacilitatorRequest, Out, SettleResponse } from '../contract/index.ts';
import type { Answers, CallerKey, SettlementRecord } from '../journal/index.ts';
import {
  databaseUnavailable,
  stillInFlight,
  type Refusal,
  type SchemeCode,
  type SettleResult,
} from '../scheme/index.ts';
import { defaultMessage } from './messages.ts';
import { failedResponse } from './recorded.ts';

type Reply = Out<'settlePayment'>;

/** A settlement that was asked for. */
export interface Settling {
  readonly result: Promise<SettleResult>;
  /** The answer to its seller. */
  readonly reply: Promise<Reply>;
}

/** Begins a settlement. It must not do anything for the payment unless `admitting` resolves to undefined. */
type Settle = (admitting: Promise<Refusal<SchemeCode> | undefined>) => Settling;

export interface SettleOnceDeps {
  answers: Answers;
  /** The network that this service is configured for. */
  network: string;
  /** Returns the answer for a payment that a transaction of the journal has settled. */
  settledBy: (record: SettlementRecord) => SettleResponse;
}

/** A ledger closes every five seconds. */
const RETRY_AFTER = { 'retry-after': '2' };

/** Returns what a caller names a settlement by. */
export function callerKeyOf(caller: string, key: string, body: FacilitatorRequest): CallerKey {
  return { caller, keyHash: hash('sha256', key), bodyHash: hash('sha256', canonicalJson(body)) };
}

/**
 * Returns a function that settles under a key. The same key and body get the same answer once a ledger has decided, and
 * are refused while that is not known; with another body, the key is refused. If nothing is known, it settles.
 */
export function createSettleOnce(deps: SettleOnceDeps): (key: CallerKey, settle: Settle) => Promise<Reply> {
  /** The bodies of the settlements under way in this process, by caller and key. */
  const underWay = new Map<string, string>();
  const { network } = deps;

  return (key, settle) => {
    const name = `${key.caller} ${key.keyHash}`;
    const bodyHash = underWay.get(name);
    if (bodyHash !== undefined)
      return Promise.resolve(bodyHash === key.bodyHash ? pending(network) : reused(network));
    const looking = look(deps, key);
    // Not async: the request must not wait for the database.
    const settling = settle(looking.then(refusalOf));
    underWay.set(name, key.bodyHash);
    return answerTo(deps, key, looking, settling).finally(() => underWay.delete(name));
  };
}

/** The answer under a key, if it has one; undefined if the key is free, or if nothing that was sent under it has paid. */
type Looked = Reply | 'unavailable' | undefined;

function refusalOf(looked: Looked): Refusal<SchemeCode> | undefined {
  if (looked === undefined) return undefined;
  return looked === 'unavailable' ? databaseUnavailable : stillInFlight.refusal;
}

async function answerTo(
  deps: SettleOnceDeps,
  key: CallerKey,
  looking: Promise<Looked>,
  { result, reply }: Settling,
): Promise<Reply> {
  const [{ success, isFinal }, given, looked] = await Promise.all([result, reply, looking]);
  if (typeof looked === 'object') return looked;
  if (success || isFinal) return keep(deps, key, given, success);
  // Meanwhile another instance may have settled it, or a transaction of this settlement may have been sent.
  const now = looked === undefined ? await look(deps, key) : undefined;
  return typeof now === 'object' ? now : given;
}

async function look(deps: SettleOnceDeps, key: CallerKey): Promise<Looked> {
  const { answers, network, settledBy } = deps;
  const known = await answers.find(key);
  if (known === undefined || known === 'unavailable') return known;
  if (known.bodyHash !== key.bodyHash) return reused(network);
  if (known.answer !== undefined) return JSON.parse(known.answer) as Reply;
  const { record } = known;
  switch (record?.status) {
    case 'settled':
      return keep(deps, key, { status: 200, body: settledBy(record) }, true);
    case 'failed':
      return keep(deps, key, { status: 200, body: failedResponse(record, network) }, false);
    case 'pending':
      return pending(network, record);
    default:
      return undefined;
  }
}

/**
 * Returns the answer that counts: the first one, wherever it was given. One that was not kept says no more than what the
 * record of its transaction will say when it is asked for again: nothing of the listing.
 */
async function keep(
  { answers }: SettleOnceDeps,
  key: CallerKey,
  reply: Reply,
  isSettled: boolean,
): Promise<Reply> {
  const kept = await answers.keep(key, JSON.stringify(reply), isSettled);
  if (kept !== undefined) return JSON.parse(kept) as Reply;
  return { status: reply.status, body: reply.body };
}

function pending(network: string, record?: SettlementRecord): Reply {
  const body = refused('svc_settlement_pending', network);
  if (record !== undefined) body.extra = { transaction: record.hash };
  return { status: 409, body, headers: RETRY_AFTER };
}

const reused = (network: string): Reply => ({
  status: 422,
  body: refused('svc_idempotency_key_reused', network),
});

const refused = (
  errorReason: 'svc_settlement_pending' | 'svc_idempotency_key_reused',
  network: string,
): SettleResponse => ({
  success: false,
  errorReason,
  errorMessage: defaultMessage(errorReason),
  transaction: '',
  network,
});
