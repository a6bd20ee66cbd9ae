import { listingTextOf, readListingText, type Catalog, type SettledPayment } from '../catalog/index.ts';
import type { ExtensionResponses, Handlers, Out, SettleResponse } from '../contract/index.ts';
import type { Journal } from '../journal/index.ts';
import type { Scheme, SettleResult } from '../scheme/index.ts';
import type { PendingListings } from './pendingListings.ts';
import { checkKind } from './kind.ts';
import { defaultMessage } from './messages.ts';

interface Deps {
  scheme: Pick<Scheme, 'kind' | 'settle'>;
  catalog: Pick<Catalog, 'submit'>;
  journal: Pick<Journal, 'listed'>;
  pendingListings: Pick<PendingListings, 'listLater'>;
}

export function createSettlePayment({ scheme, ...deps }: Deps): Handlers['settlePayment'] {
  // Not async: a settlement may wait for a long time, and must not hold on to the parsed body meanwhile.
  return ({ body: { paymentPayload, paymentRequirements }, caller }) => {
    const refusal = checkKind(scheme.kind, paymentRequirements);
    if (refusal !== undefined) {
      const network = paymentRequirements.network || scheme.kind.network;
      const { code: errorReason, message: errorMessage } = refusal;
      return { status: 200, body: { success: false, transaction: '', network, errorReason, errorMessage } };
    }
    const asked = listingTextOf({ paymentPayload, paymentRequirements });
    const listing = typeof asked === 'string' ? asked : undefined;
    const request = { paymentPayload, paymentRequirements, listing, sender: caller.address };
    return answerTo(scheme.settle(request), asked, deps);
  };
}

async function answerTo(
  settling: Promise<SettleResult>,
  asked: ReturnType<typeof listingTextOf>,
  deps: Omit<Deps, 'scheme'>,
): Promise<Out<'settlePayment'>> {
  const { facts, ...response } = await settling;
  const body = withMessage(response);
  if (!body.success || asked === undefined) return { status: 200, body };
  const listing = typeof asked === 'string' ? readListingText(asked) : asked;
  const settled = { ...listing, ...NOTHING_KNOWN, ...facts, transaction: body.transaction };
  const headers = await catalogHeaders(deps, settled, body.transaction);
  return { status: 200, body, headers };
}

const NOTHING_KNOWN = { ledgerClose: undefined, isStellarAsset: false };

/** Submits the listing, and returns its outcome as a header. The settlement stands whatever the catalog does. */
async function catalogHeaders(
  { catalog, journal, pendingListings }: Omit<Deps, 'scheme'>,
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

function withMessage(result: SettleResponse): SettleResponse {
  if (result.success || result.errorMessage) return result;
  return { ...result, errorMessage: defaultMessage(result.errorReason) };
}
