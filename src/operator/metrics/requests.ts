import { envelopeCodes, settleCodes, verifyCodes, type OperationId } from '../../contract/index.ts';
import type { HttpObserver } from '../../http/observer.ts';
import { seconds, type Instruments } from './instruments.ts';

const VERIFY_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** A settlement takes a ledger or two, and is answered within 80 s. */
const SETTLE_BUCKETS = [0.5, 1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60, 80];

/** Only these codes may become labels: clients must not be able to add series. */
const CODES: ReadonlySet<string> = new Set([...verifyCodes, ...settleCodes, ...envelopeCodes]);
/** The codes whose cause is the service, its operator or the network. All others blame the payment or its sender. */
const ERRORS: ReadonlySet<string> = new Set([
  'unexpected_verify_error',
  'unexpected_settle_error',
  'settle_exact_stellar_signer_selection_failed',
  'settle_exact_stellar_transaction_signing_failed',
  'settle_exact_stellar_fee_bump_signing_failed',
  'settle_exact_stellar_transaction_submission_failed',
  'settle_exact_stellar_transaction_failed',
  'svc_policy_check_unavailable',
  'svc_fee_account_low',
  'svc_database_unavailable',
  'svc_internal_error',
  'svc_overloaded',
]);

/** Ends the help of what counts outcomes. */
const CAUSE =
  'The cause of an error is the service, its operator or the network; that of a refusal, the payment or its sender.';

/** Counts how often the service answered an operation with a code. */
export interface RefusalCount {
  readonly operation: string;
  readonly code: string;
  count: number;
}

export interface Refusals {
  /** Returns how often the service answered with each code since it started. */
  refusals(): RefusalCount[];
}

/** Counts requests, verifies and settlements, and how long they took. */
export function createRequestMetrics({ counter, histogram }: Instruments): HttpObserver & Refusals {
  const refused = new Map<string, RefusalCount>();
  const requests = counter('requests_total', 'Requests answered, by operation and HTTP status.', [
    'operation',
    'status',
  ]);
  const refusals = counter(
    'request_refusals_total',
    'Requests that the service itself refused, by code: malformed, unauthorized, rate limited, overloaded, policy.',
    ['code'],
  );
  const payments = {
    verifyPayment: {
      count: counter(
        'verifies_total',
        `Verify requests answered, by outcome (valid, refused, error) and code. ${CAUSE}`,
        ['outcome', 'code'],
      ),
      duration: histogram('verify_duration_seconds', 'Time to answer a verify request.', VERIFY_BUCKETS),
      success: 'valid',
    },
    settlePayment: {
      count: counter(
        'settlements_total',
        `Settle requests answered, by outcome (settled, refused, error) and code. ${CAUSE}`,
        ['outcome', 'code'],
      ),
      duration: histogram('settle_duration_seconds', 'Time to answer a settle request.', SETTLE_BUCKETS),
      success: 'settled',
    },
  };
  // rate() misses the first event of a series that starts with it, so each series starts at 0.
  for (const { count, success } of Object.values(payments)) count.inc({ outcome: success, code: '' }, 0);

  const isPayment = (operation: OperationId | undefined): operation is keyof typeof payments =>
    operation !== undefined && operation in payments;
  return {
    refusals: () => [...refused.values()],
    answered(operation, status, sentCode, ms) {
      const code = sentCode === undefined || CODES.has(sentCode) ? sentCode : 'other';
      requests.inc({ operation: operation ?? 'none', status });
      if (code?.startsWith('svc_')) refusals.inc({ code });
      if (code !== undefined) countRefusal(refused, operation ?? 'none', code);
      if (!isPayment(operation)) return;
      const { count, duration, success } = payments[operation];
      duration.observe(seconds(ms));
      count.inc({ outcome: outcomeOf(code, success), code: code ?? '' });
    },
  };
}

/** Operations and codes are closed sets, so the map stays small. */
function countRefusal(refused: Map<string, RefusalCount>, operation: string, code: string): void {
  const key = `${operation} ${code}`;
  const known = refused.get(key);
  if (known === undefined) refused.set(key, { operation, code, count: 1 });
  else known.count += 1;
}

function outcomeOf(code: string | undefined, success: string): string {
  if (code === undefined) return success;
  return ERRORS.has(code) ? 'error' : 'refused';
}
