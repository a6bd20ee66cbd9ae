import type { Handlers, In, Out, SettlementStatus } from '../contract/index.ts';
import { findSettlement, isDatabaseUnavailable, type StatusDeps } from '../journal/index.ts';
import type { Scheme } from '../scheme/index.ts';
import { errorBody } from './errorBody.ts';

interface Deps {
  scheme: Pick<Scheme, 'identify' | 'isUnderWay'>;
  records: StatusDeps['records'];
}

type Asked = Parameters<typeof findSettlement>[0] | undefined;

/** Says what became of a settlement. Asks only the journal. */
export function createGetSettlementStatus({ scheme, records }: Deps): Handlers['getSettlementStatus'] {
  const deps = { records, isUnderWay: scheme.isUnderWay, now: Date.now };
  // Not async: a question waits for the database, and must not hold on to the parsed body meanwhile.
  return ({ body }) => answerTo(askedFor(scheme, body), deps);
}

/** Returns a hash or a payment; undefined if the payment does not fit the terms. */
function askedFor(
  scheme: Deps['scheme'],
  { transaction, paymentPayload, paymentRequirements }: In<'getSettlementStatus'>['body'],
): Asked {
  if (transaction !== undefined) return transaction;
  // The contract wants both if there is no hash.
  return scheme.identify({ paymentPayload: paymentPayload!, paymentRequirements: paymentRequirements! });
}

async function answerTo(asked: Asked, deps: StatusDeps): Promise<Out<'getSettlementStatus'>> {
  if (asked === undefined) return { status: 200, body: { status: 'unknown' } };
  try {
    return { status: 200, body: shown(await findSettlement(asked, deps)) };
  } catch (fault) {
    if (!isDatabaseUnavailable(fault)) throw fault;
    const message = 'The database of this facilitator does not answer; try again after Retry-After seconds.';
    const body = errorBody({ code: 'svc_database_unavailable', message });
    return { status: 503, body };
  }
}

function shown({ status, record }: Awaited<ReturnType<typeof findSettlement>>): SettlementStatus {
  if (record === undefined) return { status };
  const {
    hash,
    ledger,
    closedAt,
    sentAt,
    amount,
    asset,
    payer,
    payTo,
    paymentIdentifier,
    feeStroops,
    code,
    message,
  } = record;
  const facts = {
    transaction: hash,
    ledger,
    closedAt: closedAt?.toISOString(),
    sentAt: sentAt.toISOString(),
    amount,
    asset,
    payer,
    payTo,
    paymentIdentifier,
    feeStroops,
    errorReason: code,
    errorMessage: message,
  };
  const known = Object.entries(facts).filter(([, value]) => value !== undefined);
  return { status, ...Object.fromEntries(known) };
}
