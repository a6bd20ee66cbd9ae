import type { Handlers, SettledPayment } from '../../contract/index.ts';
import type { Journal } from '../../journal/index.ts';
import { errorBody } from '../errorBody.ts';
import { defaultMessage } from '../messages.ts';
import type { SellerLimits } from './limits.ts';
import type { Reads } from './reads.ts';
import type { CheckSigned } from './signed.ts';

type Records = Journal['records'];
type SettlementRecord = NonNullable<Awaited<ReturnType<Records['page']>>>['records'][number];

interface Deps {
  records: Pick<Records, 'page'>;
  checkSigned: CheckSigned;
  reads: Reads;
  limits: SellerLimits;
}

/** Shows recipients what was settled for them. */
export function createListSettlements(deps: Deps): Required<Handlers>['listSettlements'] {
  const { records, checkSigned, reads, limits } = deps;
  return async ({ body }) => {
    const signedAtMs = checkSigned('settlements', body);
    if (typeof signedAtMs === 'object') return { status: 403, body: errorBody(signedAtMs) };
    const { recipient, cursor } = body;
    const filters = { payTo: recipient, status: 'settled' } as const;
    const page = await records.page(filters, limits.settlementsPerPage, cursor);
    if (page === undefined)
      return refused(400, 'svc_malformed_request_body', 'cursor was not issued by this service.');
    // Whoever was never paid here is shown nothing: only others are remembered, and they cost somebody a payment.
    const noted = page.records.length === 0 ? 'new' : reads.note(recipient, signedAtMs);
    if (noted === 'used') return refused(409, 'svc_used_signature');
    if (noted === 'full') return refused(503, 'svc_overloaded');
    const settlements = page.records.map(shown);
    return { status: 200, body: { settlements, cursor: page.next ?? null } };
  };
}

function shown({ hash, ledger, closedAt, amount, asset, payer, resource }: SettlementRecord): SettledPayment {
  return {
    transaction: hash,
    payer,
    ...(ledger !== undefined && { ledger }),
    ...(closedAt !== undefined && { closedAt: closedAt.toISOString() }),
    ...(amount !== undefined && { amount }),
    ...(asset !== undefined && { asset }),
    ...(resource !== undefined && { resource }),
  };
}

type Code = 'svc_malformed_request_body' | 'svc_used_signature' | 'svc_overloaded';

function refused<Status extends 400 | 409 | 503>(status: Status, code: Code, message = defaultMessage(code)) {
  return { status, body: errorBody({ code, message }) };
}
