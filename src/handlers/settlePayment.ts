import { listingTextOf, readListingText, type Catalog, type SettledPayment } from '../catalog/index.ts';
import {
  boundedText,
  type ExtensionResponses,
  type Handlers,
  type Out,
  type PaymentPayload,
  type SettleResponse,
} from '../contract/index.ts';
import { RESOURCE_LIMIT_CHARS, type Journal, type SettlementRecord } from '../journal/index.ts';
import type { FeeBudget, PaidTerms, Scheme, SettledFacts, SettleResult } from '../scheme/index.ts';
import type { PendingListings } from './pendingListings.ts';
import type { Receipts } from '../receipts/index.ts';
import { checkKind } from './kind.ts';
import { defaultMessage } from './messages.ts';
import { paymentIdentifierIn } from './paymentIdentifier.ts';
import { ledgerClose, paidTerms, settledResponse } from './recorded.ts';
import { callerKeyOf, createSettleOnce } from './settleOnce.ts';

interface Deps {
  scheme: Pick<Scheme, 'kind' | 'settle'>;
  catalog: Pick<Catalog, 'submit'>;
  journal: Pick<Journal, 'listed' | 'answers'>;
  pendingListings: Pick<PendingListings, 'listLater'>;
  /** Undefined if there are none. */
  receipts?: Pick<Receipts, 'receiptOf'> | undefined;
  /** Returns the budget that the fees of a caller's payments are taken from. */
  budgetOf: (keyId: string | undefined) => FeeBudget;
}

export function createSettlePayment({ scheme, budgetOf, ...deps }: Deps): Handlers['settlePayment'] {
  const { network } = scheme.kind;
  const settledBy = (record: SettlementRecord): SettleResponse =>
    withReceipt(deps, settledResponse(record, network), paidTerms(record), ledgerClose(record));
  const settleOnce = createSettleOnce({ answers: deps.journal.answers, network, settledBy });
  // Not async: a settlement may wait for a long time, and must not hold on to the parsed body meanwhile.
  return ({ body, caller }) => {
    const { paymentPayload, paymentRequirements } = body;
    const refusal = checkKind(scheme.kind, paymentRequirements);
    if (refusal !== undefined) {
      const network = paymentRequirements.network || scheme.kind.network;
      const { code: errorReason, message: errorMessage } = refusal;
      return { status: 200, body: { success: false, transaction: '', network, errorReason, errorMessage } };
    }
    const asked = listingTextOf({ paymentPayload, paymentRequirements });
    const listing = typeof asked === 'string' ? asked : undefined;
    const { name: sender, keyId, requestId, idempotencyKey } = caller;
    const budget = budgetOf(keyId);
    const key = idempotencyKey === undefined ? undefined : callerKeyOf(budget.caller, idempotencyKey, body);
    const resource = soldAt(paymentPayload);
    const request = {
      paymentPayload,
      paymentRequirements,
      listing,
      sender,
      keyId,
      requestId,
      resource,
      paymentIdentifier: paymentIdentifierIn(paymentPayload),
      budget,
      key,
    };
    if (key === undefined) return answerTo(scheme.settle(request), asked, deps);
    return settleOnce(key, (admitting) => {
      const result = scheme.settle({ ...request, admitting });
      return { result, reply: answerTo(result, asked, deps) };
    });
  };
}

async function answerTo(
  settling: Promise<SettleResult>,
  asked: ReturnType<typeof listingTextOf>,
  deps: Omit<Deps, 'scheme' | 'budgetOf'>,
): Promise<Out<'settlePayment'>> {
  const { facts, paid, isFinal: _, ...response } = await settling;
  if (!response.success) return refused(withMessage(response));
  const body = withReceipt(deps, response, paid, facts?.ledgerClose);
  if (asked === undefined) return { status: 200, body };
  const listing = typeof asked === 'string' ? readListingText(asked) : asked;
  const settled = {
    ...listing,
    ...NOTHING_KNOWN,
    ...facts,
    payer: body.payer,
    transaction: body.transaction,
  };
  const headers = await catalogHeaders(deps, settled, body.transaction);
  return { status: 200, body, headers };
}

/** Adds the receipt, if receipts are on and what was paid is known. */
function withReceipt(
  { receipts }: Pick<Deps, 'receipts'>,
  response: SettleResponse,
  paid: PaidTerms | undefined,
  close: SettledFacts['ledgerClose'],
): SettleResponse {
  const receipt = paid && receipts?.receiptOf({ ...response, ...paid }, close);
  return receipt === undefined ? response : { ...response, extensions: receipt };
}

const DAY_MS = 24 * 3600 * 1000;

const NOTHING_KNOWN = { ledgerClose: undefined, isStellarAsset: false };

/** Submits the listing, and returns its outcome as a header. The settlement stands whatever the catalog does. */
async function catalogHeaders(
  { catalog, journal, pendingListings }: Omit<Deps, 'scheme' | 'budgetOf'>,
  settled: SettledPayment,
  transaction: string,
): Promise<Record<string, string>> {
  try {
    const outcome = await catalog.submit(settled);
    if (outcome === undefined) {
      pendingListings.listLater();
      return {};
    }
    journal.listed(transaction, outcome.status);
    const responses: ExtensionResponses = { bazaar: outcome };
    return { 'EXTENSION-RESPONSES': Buffer.from(JSON.stringify(responses)).toString('base64') };
  } catch {
    return {};
  }
}

/** Answers a refusal with 200, or with a status of its own if the operator has no lumens to spend on fees. */
function refused(body: SettleResponse): Out<'settlePayment'> {
  switch (body.errorReason) {
    case 'svc_fee_budget_exhausted':
      return { status: 429, body, headers: { 'retry-after': String(secondsUntilMidnight(Date.now())) } };
    case 'svc_payment_identifier_conflict':
      return { status: 409, body };
    case 'svc_fee_account_low':
      return { status: 503, body };
    default:
      return { status: 200, body };
  }
}

/** Returns the URL that the buyer's payload names; undefined if there is none. */
function soldAt({ resource }: PaymentPayload): string | undefined {
  const url = resource?.url;
  return typeof url === 'string' ? boundedText(url, RESOURCE_LIMIT_CHARS) : undefined;
}

/** Fee budgets are renewed at midnight UTC. */
const secondsUntilMidnight = (nowMs: number): number => Math.ceil((DAY_MS - (nowMs % DAY_MS)) / 1000);

function withMessage(result: SettleResponse): SettleResponse {
  if (result.errorMessage) return result;
  return { ...result, errorMessage: defaultMessage(result.errorReason) };
}
